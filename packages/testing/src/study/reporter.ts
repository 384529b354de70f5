import type { ActivityKind, Happening, Phase, Stamp, TurnReport, TurnSignal } from '@turnwatch/core';
import type { KeyPlan, TurnPlan } from './plan.ts';
import { tokenMs } from './plan.ts';

export const beatMs = 1000;

export interface Placed {
  readonly id: string;
  readonly key: KeyPlan;
  readonly plan: TurnPlan;
  /** When the request starts, on the turn clock of the producer. */
  readonly startA: Stamp;
  /** When in each second of the turn its heartbeats fall, ms. */
  readonly beatPhaseMs: number;
}

/**
 * What the SDK would report of a planned turn at any instant, without playing every token and every second: the test
 * beside it holds this against the real producer, record for record.
 */
export class Reporter {
  readonly #placed: Placed;
  readonly #nextSeq: () => number;
  #next = 0;
  #phase: Phase = 'first_token';
  #phaseMs = 0;
  #lastMs = 0;
  #lastKind: ActivityKind = 'request_started';
  #firstMs: number | undefined;
  #contentMs: number | undefined;
  #lastContentMs: number | undefined;
  #productiveMs = 0;
  #progressMs: number | undefined;
  #keepaliveMs: number | undefined;
  /** The last record, sent or left out. */
  #recordMs = 0;

  constructor(placed: Placed, nextSeq: () => number) {
    this.#placed = placed;
    this.#nextSeq = nextSeq;
  }

  started(): TurnSignal {
    const { key, plan } = this.#placed;
    this.#firstMs = 0;
    const { promptTokens } = plan;
    const signal = this.#signal(0, {
      name: 'request_started',
      request: 'r',
      streaming: true,
      ...(promptTokens === undefined ? {} : { promptTokens }),
    });
    return { ...signal, identity: { provider: key.provider, model: key.model, route: key.route } };
  }

  /** @param atMs an instant of a heartbeat, from the start of the request. */
  heartbeat(atMs: number): TurnSignal {
    this.#advance(atMs, Math.max(this.#recordMs, atMs - beatMs));
    return this.#signal(atMs, { name: 'heartbeat' });
  }

  /** The record that goes out at once with the first content. Heartbeats up to `atMs` may have been left out. */
  firstChunk(atMs: number): TurnSignal {
    this.#advance(atMs, Math.max(this.#recordMs, this.#beatBefore(atMs)));
    return this.#signal(atMs, { name: 'first_chunk', request: 'r', kind: 'text' });
  }

  /** Progress of the prompt read is told at once, too. */
  promptRead(atMs: number): TurnSignal {
    this.#advance(atMs, Math.max(this.#recordMs, this.#beatBefore(atMs)));
    return this.#signal(atMs, { name: 'prompt_read', read: 0, request: 'r' });
  }

  /** The end of the request and then of the turn. */
  ended(atMs: number, outcome: 'completed' | 'cancelled'): TurnSignal[] {
    this.#advance(atMs, Math.max(this.#recordMs, this.#beatBefore(atMs)));
    this.#lastMs = atMs;
    this.#firstMs ??= atMs;
    this.#lastKind = outcome === 'completed' ? 'request_ended' : 'request_failed';
    if (outcome === 'completed') this.#productiveMs = atMs;
    this.#phase = 'agent';
    this.#phaseMs = atMs;
    const failed = outcome === 'cancelled' ? atMs : undefined;
    return [
      this.#signal(atMs, { name: 'request_ended', request: 'r', outcome }, failed),
      this.#signal(atMs, { name: 'ended', outcome }, failed),
    ];
  }

  /** The last heartbeat before `atMs`. */
  #beatBefore(atMs: number): number {
    return atMs - 1 - ((((atMs - 1 - this.#placed.beatPhaseMs) % beatMs) + beatMs) % beatMs);
  }

  /** Takes in all that happens up to `atMs`; `sinceMs` is when the record before was made. */
  #advance(atMs: number, sinceMs: number): void {
    const { steps } = this.#placed.plan;
    if (sinceMs > this.#recordMs) this.#firstMs = undefined;
    for (let step = steps[this.#next]; step !== undefined && step.atMs <= atMs; step = steps[this.#next]) {
      if (step.what === 'progress') {
        this.#progressMs = step.atMs;
        this.#productiveMs = step.atMs;
      } else if (step.what === 'keepalive') this.#keepaliveMs = step.atMs;
      else {
        const tokens = Math.floor((Math.min(atMs, step.untilMs) - step.atMs) / tokenMs);
        const newestMs = step.atMs + tokens * tokenMs;
        this.#lastKind = 'chunk';
        this.#lastMs = newestMs;
        this.#lastContentMs = newestMs;
        this.#productiveMs = newestMs;
        this.#contentMs ??= step.atMs;
        if (this.#phase !== step.what) {
          this.#phase = step.what;
          this.#phaseMs = step.atMs;
        }
        const firstMs = step.atMs > sinceMs ? step.atMs : newToken(step.atMs, sinceMs);
        if (firstMs <= newestMs) this.#firstMs ??= firstMs;
        if (step.untilMs > atMs) break;
      }
      this.#next++;
    }
  }

  #signal(atMs: number, happening: Happening, failedMs?: number): TurnSignal {
    const { id, startA, plan } = this.#placed;
    this.#recordMs = atMs;
    const open = this.#phase !== 'agent';
    const report: TurnReport = {
      phase: this.#phase,
      phaseA: startA + this.#phaseMs,
      lastA: startA + this.#lastMs,
      lastKind: this.#lastKind,
      ...(this.#firstMs === undefined ? {} : { firstA: startA + this.#firstMs }),
      ...(this.#lastContentMs === undefined ? {} : { lastContentA: startA + this.#lastContentMs }),
      productiveA: startA + this.#productiveMs,
      ...(failedMs === undefined ? {} : { failedA: startA + failedMs }),
      ...(this.#progressMs === undefined || !open ? {} : { progressA: startA + this.#progressMs }),
      ...(this.#keepaliveMs === undefined || !open ? {} : { keepaliveA: startA + this.#keepaliveMs }),
      handover: false,
      requests: open
        ? [
            {
              id: 'r',
              startedA: startA,
              streaming: true,
              ...(plan.promptTokens === undefined ? {} : { promptTokens: plan.promptTokens }),
              ...(this.#contentMs === undefined ? {} : { contentA: startA + this.#contentMs }),
            },
          ]
        : [],
      calls: [],
      chunks: 0,
    };
    this.#firstMs = undefined;
    return {
      type: 'turn',
      turn: id,
      attempt: 1,
      incarnation: 1,
      origin: { process: 'p', boot: 'b', seq: this.#nextSeq(), a: startA + atMs },
      happening,
      report,
    };
  }
}

/** The first token after `afterMs` of a run that began at `fromMs`. */
function newToken(fromMs: number, afterMs: number): number {
  return fromMs + (Math.floor((afterMs - fromMs) / tokenMs) + 1) * tokenMs;
}
