import type { Phase, Route } from './signal.ts';

/** Phases that the silence rule judges. `tool` has graces instead, `waiting` and `idle` have no clock. */
export type JudgedPhase = Exclude<Phase, 'idle' | 'tool' | 'waiting'>;

export type Preset = 'strict' | 'measured';
export type PhaseThresholds = { readonly [P in JudgedPhase]?: number | undefined };

/** What an operator knows beforehand about a provider, model or route: a CPU-only engine, a slow reasoner. */
export interface Prior {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly route?: Route | undefined;
  readonly thresholdMs: PhaseThresholds;
}

/** All numbers of RULES.md that may be set. Durations in milliseconds. */
export interface PolicyInput {
  /** Default `strict`: fewest false flags. `measured` is report 002's rule, literally. */
  readonly preset?: Preset | undefined;
  /** Sets the default thresholds D (`measured`) and D' (`strict`) alike. */
  readonly defaultThresholdMs?: PhaseThresholds | undefined;
  /** Least measured threshold. Default 20 000 in `first_token` and `queued`, 15 000 elsewhere. A number sets both; 0 switches it off. */
  readonly floorMs?:
    | number
    | { readonly first_token?: number | undefined; readonly other?: number | undefined }
    | undefined;
  /** Healthy turns before a threshold is measured. Default 20. */
  readonly minSamples?: number | undefined;
  /** `measured`: T = margin x largest healthy gap. Default 1.5. */
  readonly margin?: number | undefined;
  /** Confirm window as a share of T. Default 0.25. */
  readonly confirmRatio?: number | undefined;
  /** How long engine evidence counts after the agent's last activity. Default 1 800 000. */
  readonly engineGraceMs?: number | undefined;
  /** How long keep-alives before the first content count on route `api`. Default 600 000. */
  readonly keepaliveApiMs?: number | undefined;
  /** Grace of a tool call = `pendingGraceMultiplier` x this. Default 600 000; 0 switches the rule off (report 001). */
  readonly toolIdleTimeoutMs?: number | undefined;
  /** Default 3 (report 001). */
  readonly pendingGraceMultiplier?: number | undefined;
  /** A pause this long restarts the silence window; shorter ones are only credited. Default 60 000. */
  readonly longPauseMs?: number | undefined;
  /** No heartbeat for this long: the process is unreachable. Default 60 000 and 600 000. */
  readonly unreachableMs?:
    | { readonly server?: number | undefined; readonly portable?: number | undefined }
    | undefined;
  /** Main loop stuck for this long: `process_blocked`. Default 600 000. */
  readonly blockedMs?: number | undefined;
  /** Awake time in request phases without any fruit: `no_content`. Default 3 600 000. */
  readonly noContentMs?: number | undefined;
  /** Threshold after a wait's `until`. Default 120 000. */
  readonly handoverMs?: number | undefined;
  /** Horizon of turns that bring none. Default 86 400 000. */
  readonly defaultExpiresAfterMs?: number | undefined;
  /** The last that fits wins, before `defaultThresholdMs`. */
  readonly priors?: readonly Prior[] | undefined;
}

/** {@link PolicyInput} with every default filled in. */
export interface Policy {
  readonly preset: Preset;
  readonly defaultThresholdMs: PhaseThresholds;
  readonly floorMs: { readonly first_token: number; readonly other: number };
  readonly minSamples: number;
  readonly margin: number;
  readonly confirmRatio: number;
  readonly engineGraceMs: number;
  readonly keepaliveApiMs: number;
  readonly toolIdleTimeoutMs: number;
  readonly pendingGraceMultiplier: number;
  readonly longPauseMs: number;
  readonly unreachableMs: { readonly server: number; readonly portable: number };
  readonly blockedMs: number;
  readonly noContentMs: number;
  readonly handoverMs: number;
  readonly defaultExpiresAfterMs: number;
  readonly priors: readonly Prior[];
}

const presetDefaultsMs: Readonly<Record<Preset, Readonly<Record<JudgedPhase, number>>>> = {
  measured: {
    queued: 120_000,
    first_token: 120_000,
    reasoning: 90_000,
    text: 90_000,
    tool_args: 90_000,
    non_streaming: 600_000,
    compacting: 600_000,
    agent: 600_000,
  },
  strict: {
    queued: 260_000,
    first_token: 260_000,
    reasoning: 240_000,
    text: 240_000,
    tool_args: 240_000,
    non_streaming: 600_000,
    compacting: 600_000,
    agent: 600_000,
  },
};

/** One value that makes no sense. */
export interface PolicyFault {
  /** `confirmRatio`, `priors[0].thresholdMs.text` */
  readonly path: string;
  /** Completes the sentence "<path> ...". */
  readonly message: string;
}

/** All that makes no sense in a policy, one sentence each. */
export class PolicyError extends RangeError {
  readonly faults: readonly PolicyFault[];

  constructor(faults: readonly PolicyFault[]) {
    super(faults.map(({ path, message }) => `policy.${path} ${message}`).join('; '));
    this.faults = faults;
  }
}

/**
 * Fills in the defaults.
 * @throws {PolicyError} a RangeError that names every field whose number is negative, not finite, or makes no sense.
 */
export function makePolicy(input: PolicyInput = {}): Policy {
  const floor = input.floorMs;
  const policy: Policy = {
    preset: input.preset ?? 'strict',
    defaultThresholdMs: input.defaultThresholdMs ?? {},
    floorMs:
      typeof floor === 'number'
        ? { first_token: floor, other: floor }
        : { first_token: floor?.first_token ?? 20_000, other: floor?.other ?? 15_000 },
    minSamples: input.minSamples ?? 20,
    margin: input.margin ?? 1.5,
    confirmRatio: input.confirmRatio ?? 0.25,
    engineGraceMs: input.engineGraceMs ?? 1_800_000,
    keepaliveApiMs: input.keepaliveApiMs ?? 600_000,
    toolIdleTimeoutMs: input.toolIdleTimeoutMs ?? 600_000,
    pendingGraceMultiplier: input.pendingGraceMultiplier ?? 3,
    longPauseMs: input.longPauseMs ?? 60_000,
    unreachableMs: {
      server: input.unreachableMs?.server ?? 60_000,
      portable: input.unreachableMs?.portable ?? 600_000,
    },
    blockedMs: input.blockedMs ?? 600_000,
    noContentMs: input.noContentMs ?? 3_600_000,
    handoverMs: input.handoverMs ?? 120_000,
    defaultExpiresAfterMs: input.defaultExpiresAfterMs ?? 86_400_000,
    priors: input.priors ?? [],
  };
  const faults = faultsOf(policy);
  if (faults.length > 0) throw new PolicyError(faults);
  return policy;
}

function faultsOf(policy: Policy): PolicyFault[] {
  const faults: PolicyFault[] = [];
  const atLeast = (name: string, value: number, least: number): void => {
    if (!Number.isFinite(value) || value < least)
      faults.push({ path: name, message: `must be a number of at least ${least}, not ${value}` });
  };
  if (policy.preset !== 'strict' && policy.preset !== 'measured')
    faults.push({ path: 'preset', message: `must be "strict" or "measured", not ${String(policy.preset)}` });
  atLeast('minSamples', policy.minSamples, 1);
  // Below 1 a threshold would lie under gaps that were healthy: "never below the largest healthy gap seen" (report 002).
  atLeast('margin', policy.margin, 1);
  atLeast('confirmRatio', policy.confirmRatio, 0);
  atLeast('pendingGraceMultiplier', policy.pendingGraceMultiplier, 0);
  for (const name of ['engineGraceMs', 'keepaliveApiMs', 'toolIdleTimeoutMs'] as const)
    atLeast(name, policy[name], 0);
  for (const name of [
    'longPauseMs',
    'blockedMs',
    'noContentMs',
    'handoverMs',
    'defaultExpiresAfterMs',
  ] as const)
    atLeast(name, policy[name], 1);
  atLeast('unreachableMs.server', policy.unreachableMs.server, 1);
  atLeast('unreachableMs.portable', policy.unreachableMs.portable, 1);
  atLeast('floorMs.first_token', policy.floorMs.first_token, 0);
  atLeast('floorMs.other', policy.floorMs.other, 0);
  for (const [phase, ms] of Object.entries(policy.defaultThresholdMs))
    if (ms !== undefined) atLeast(`defaultThresholdMs.${phase}`, ms, 1);
  policy.priors.forEach((prior, i) => {
    for (const [phase, ms] of Object.entries(prior.thresholdMs))
      if (ms !== undefined) atLeast(`priors[${i}].thresholdMs.${phase}`, ms, 1);
  });
  return faults;
}

/** Whose default threshold is asked for. */
export interface KeyParts {
  readonly provider: string;
  readonly model: string;
  readonly route: Route;
}

/** D or D' of a phase: a fitting prior, else `defaultThresholdMs`, else the preset's own number. */
export function defaultThresholdMs(
  policy: Policy,
  preset: Preset,
  key: KeyParts,
  phase: JudgedPhase,
): number {
  for (let i = policy.priors.length - 1; i >= 0; i--) {
    const prior = policy.priors[i];
    const ms = prior?.thresholdMs[phase];
    if (
      prior !== undefined &&
      ms !== undefined &&
      (prior.provider === undefined || prior.provider === key.provider) &&
      (prior.model === undefined || prior.model === key.model) &&
      (prior.route === undefined || prior.route === key.route)
    )
      return ms;
  }
  return policy.defaultThresholdMs[phase] ?? presetDefaultsMs[preset][phase];
}
