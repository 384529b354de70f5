// First-token time grows with the prompt, so a threshold from the largest gap alone lets cached reads judge long ones, or
// long ones hide a stall of a short one (report 000; RULES 3).

export interface PromptRead {
  readonly tokens: number;
  readonly ms: number;
}

/** Bounded: the newest reads for the slope, and a staircase of the largest time at each prompt size or smaller. */
export interface PromptReads {
  readonly recent: readonly PromptRead[];
  /** Tokens and times both ascending. */
  readonly stairs: readonly PromptRead[];
}

export const emptyPromptReads: PromptReads = { recent: [], stairs: [] };

const keptReads = 256;
const keptStairs = 64;
const minReads = 20;
const minTokens = 2000;

export function learnRead(reads: PromptReads, read: PromptRead): PromptReads {
  const recent = read.tokens > minTokens ? [...reads.recent, read].slice(-keptReads) : reads.recent;
  const stairs = [...reads.stairs, read]
    .sort((a, b) => a.tokens - b.tokens || b.ms - a.ms)
    .filter((step, i, all) => i === 0 || all.slice(0, i).every((before) => before.ms < step.ms));
  return { recent, stairs: stairs.length > keptStairs ? withoutLowestStep(stairs) : stairs };
}

/** Merges the two steps that differ least: the lower size with the higher time, so that no bound is ever lowered. */
function withoutLowestStep(stairs: readonly PromptRead[]): PromptRead[] {
  const rises = stairs
    .slice(1)
    .map((upper, i) => ({ i, upper, ms: upper.ms - (stairs[i] as PromptRead).ms }));
  const { i, upper } = rises.reduce((lowest, rise) => (rise.ms < lowest.ms ? rise : lowest));
  return stairs.toSpliced(i, 2, { tokens: (stairs[i] as PromptRead).tokens, ms: upper.ms });
}

/**
 * The largest first-token time to expect for a prompt: `r + b x tokens` with b = p90(time / tokens) by nearest rank and
 * r = max(time - b x tokens), never below the largest time seen at that size or smaller. Undefined while fewer than 20
 * reads of more than 2,000 tokens are known.
 */
export function expectedReadMs(reads: PromptReads, tokens: number): number | undefined {
  if (reads.recent.length < minReads) return undefined;
  const slopes = reads.recent.map((read) => read.ms / read.tokens).sort((a, b) => a - b);
  const b = slopes[Math.ceil(0.9 * slopes.length) - 1] as number;
  const r = Math.max(...reads.recent.map((read) => read.ms - b * read.tokens));
  let seen = 0;
  for (const step of reads.stairs) if (step.tokens <= tokens) seen = step.ms;
  return Math.max(r + b * tokens, seen);
}
