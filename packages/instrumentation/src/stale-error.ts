import type { PendingCallFacts } from './errors.ts';

/** Why a detector holds a turn for stopped. Another word may come with a newer one. */
export type StaleReason =
  | 'silence'
  | 'engine_only'
  | 'tool_silence'
  | 'lost_completion'
  | 'no_content'
  | 'process_exited'
  | 'process_unreachable'
  | 'process_blocked'
  | 'provider_error';

/** What the verdict was made from, as the detector says it. */
export interface StaleDiagnostics {
  readonly reason: StaleReason;
  readonly phase: string;
  /** From 1; a stall after a recovery is a new episode. */
  readonly episode: number;
  readonly lastActivityAt: string;
  readonly lastActivityKind: string;
  readonly silenceMs: number;
  /** The silence that was allowed, and `confirmMs` more in which anything would have cleared the suspicion. */
  readonly thresholdMs: number;
  /** `measured`: from healthy turns of this provider, model and phase; `default`: too few of them are known. */
  readonly thresholdSource: 'measured' | 'default' | 'operator';
  readonly confirmMs: number;
  readonly largestHealthyGapMs: number | null;
  /** Healthy turns that the threshold was learned from. */
  readonly samples: number;
  readonly falseFlagEstimate: number | null;
  readonly pendingCalls: readonly PendingCallFacts[];
  /** Ids of the pending calls that are past their grace. */
  readonly expiredCalls: readonly string[];
}

/** The part of a `turn.stale` event that is needed, as the webhook or an embedded detector hands it out. */
export interface TurnStaleEvent {
  readonly id?: string;
  readonly data: {
    readonly turn: { readonly id: string; readonly attempt: number };
    readonly stale: Omit<StaleDiagnostics, 'pendingCalls' | 'expiredCalls'> & {
      readonly pendingToolCalls: readonly PendingCallFacts[];
      readonly expiredToolCalls: readonly string[];
    };
  };
}

/** The old attempt is known to be over or to do nothing, and a new one may meet better luck. */
const worthAnotherTry: ReadonlySet<string> = new Set([
  'silence',
  'engine_only',
  'no_content',
  'process_exited',
]);

/** What a parent rejects with, or aborts with, when it is told that a turn of its own has stopped. Nothing here throws it. */
export class TurnStaleError extends Error {
  override readonly name: string = 'TurnStaleError';
  readonly code: string = 'TURNWATCH_STALE';
  readonly turnId: string;
  readonly attempt: number;
  readonly eventId: string | undefined;
  /**
   * True: a new attempt makes sense. False with open calls, whose effects may still come, after an error that is not
   * retryable, and while the old attempt may still be at work (`process_unreachable`, `process_blocked`).
   */
  readonly retryable: boolean;
  readonly diagnostics: StaleDiagnostics;

  constructor(turnId: string, attempt: number, diagnostics: StaleDiagnostics, eventId?: string) {
    super(`Turn ${turnId} (attempt ${attempt}) has stopped: ${say(diagnostics)}`);
    this.turnId = turnId;
    this.attempt = attempt;
    this.eventId = eventId;
    this.diagnostics = diagnostics;
    this.retryable = diagnostics.pendingCalls.length === 0 && worthAnotherTry.has(diagnostics.reason);
  }

  static fromEvent({ id, data: { turn, stale } }: TurnStaleEvent): TurnStaleError {
    const { pendingToolCalls, expiredToolCalls, ...rest } = stale;
    return new TurnStaleError(
      turn.id,
      turn.attempt,
      { ...rest, pendingCalls: pendingToolCalls, expiredCalls: expiredToolCalls },
      id,
    );
  }
}

function say({ reason, phase, silenceMs, thresholdMs, thresholdSource, ...of }: StaleDiagnostics): string {
  const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
  const expired = of.pendingCalls.filter(({ id }) => of.expiredCalls.includes(id));
  const calls = expired.map(
    (call) =>
      `${call.name ?? call.id} quiet for ${seconds(call.quietMs)}${call.graceMs === undefined ? '' : ` of ${seconds(call.graceMs)}`}, ${call.updates} updates`,
  );
  const silence =
    calls.length > 0
      ? ''
      : `, silent for ${seconds(silenceMs)} with ${seconds(thresholdMs)} allowed (${thresholdSource}, ${of.samples} samples)`;
  return `${reason} in phase ${phase}${silence}${calls.length === 0 ? '' : `; past their grace: ${calls.join('; ')}`}`;
}
