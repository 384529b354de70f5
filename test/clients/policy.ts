import type { DetectorConfigInput } from '@turnwatch/detector';

/** Thresholds of each phase, ms: minutes are seconds here, so that a stall need not be waited for. */
export const thresholdMs = {
  first_token: 12_000,
  text: 6000,
  non_streaming: 12_000,
  agent: 8000,
  /** The grace of a call. */
  tool: 18_000,
} as const;

/** A process whose heartbeats stay away for so long is gone, ms. */
export const unreachableMs = 15_000;

/** From the threshold on, this part of it once more before anybody is told. */
export const confirmRatio = 0.25;

/** The measured rule, before it has measured anything: each case asks for a model of its own. */
export const policy: NonNullable<DetectorConfigInput['policy']> = {
  preset: 'measured',
  floorMs: 0,
  confirmRatio,
  defaultThresholdMs: {
    first_token: thresholdMs.first_token,
    text: thresholdMs.text,
    reasoning: thresholdMs.text,
    tool_args: thresholdMs.text,
    non_streaming: thresholdMs.non_streaming,
    agent: thresholdMs.agent,
  },
  // After a wait that had an end.
  handoverMs: thresholdMs.agent,
  unreachableMs: { server: unreachableMs, portable: unreachableMs },
  toolIdleTimeoutMs: thresholdMs.tool,
  pendingGraceMultiplier: 1,
};

/** Whatever is silent for longer is flagged. */
export const longestMs: number = (1 + confirmRatio) * Math.max(...Object.values(thresholdMs));
