import type { Route } from '@turnwatch/core';
import type { Draw } from './draw.ts';

/** One thing that a request does; content may come as a run of tokens. Whole ms from the start of the request. */
export interface Step {
  readonly what: 'text' | 'reasoning' | 'progress' | 'keepalive';
  readonly atMs: number;
  /** Last token of the run; `atMs` for anything single. */
  readonly untilMs: number;
}

/** A turn as it really goes: one streamed request from 0 to `endMs`. Infinity: it stops after its last step. */
export interface TurnPlan {
  readonly steps: readonly Step[];
  readonly endMs: number;
  /** Uncached tokens, where the client knows them. */
  readonly promptTokens?: number;
  /** What ends the gap of a stall that is real and yet recovers: flagging it is right. */
  readonly stalledUntilMs?: number;
}

export interface KeyPlan {
  readonly provider: string;
  readonly model: string;
  readonly route: Route;
  /** The healthy turn of that number. Numbers are asked for in ascending order. */
  turn(draw: Draw, index: number): TurnPlan;
}

/** Tokens of a run are this far apart, ms. */
export const tokenMs = 30;

/** Lays the steps of a turn one after the other. */
export class PlanBuilder {
  readonly #steps: Step[] = [];
  #nowMs = 0;
  #stalledUntilMs: number | undefined;

  get nowMs(): number {
    return this.#nowMs;
  }

  pause(ms: number): this {
    this.#nowMs += Math.max(1, Math.round(ms));
    return this;
  }

  /** A stall that recovers by itself after so long. */
  stall(ms: number): this {
    this.pause(ms);
    this.#stalledUntilMs = this.#nowMs;
    return this;
  }

  content(what: 'text' | 'reasoning', tokens: number): this {
    const untilMs = this.#nowMs + (Math.max(1, Math.round(tokens)) - 1) * tokenMs;
    this.#steps.push({ what, atMs: this.#nowMs, untilMs });
    this.#nowMs = untilMs;
    return this;
  }

  evidence(what: 'progress' | 'keepalive'): this {
    this.#steps.push({ what, atMs: this.#nowMs, untilMs: this.#nowMs });
    return this;
  }

  end(promptTokens?: number): TurnPlan {
    return {
      steps: this.#steps,
      endMs: this.#nowMs + tokenMs,
      ...(promptTokens === undefined ? {} : { promptTokens }),
      ...(this.#stalledUntilMs === undefined ? {} : { stalledUntilMs: this.#stalledUntilMs }),
    };
  }
}

/** Where a turn stops: before any sign of its request, while it waits or is read, or after its first content. */
export const stopKinds = ['first', 'read', 'mid'] as const;
export type StopKind = (typeof stopKinds)[number];

export function isContent(step: Step): boolean {
  return step.what === 'text' || step.what === 'reasoning';
}

/** The same turn, but it stops for good; undefined where it has no such place. */
export function stopped(plan: TurnPlan, kind: StopKind, draw: Draw): TurnPlan | undefined {
  const first = plan.steps.findIndex(isContent);
  if (kind === 'read' && first < 1) return undefined;
  const kept =
    kind === 'first' ? 0 : kind === 'read' ? draw.count(1, first) : draw.count(first + 1, plan.steps.length);
  return { ...plan, steps: plan.steps.slice(0, kept), endMs: Number.POSITIVE_INFINITY };
}

/** A time without any sign between two things of a turn. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
  readonly endsBy: Step['what'] | 'end';
  /** Two silences of one class are judged under the same key. */
  readonly class: 'first' | 'first+evidence' | 'text' | 'reasoning';
}

/** All gaps in order, but for those between the tokens of a run. */
export function gapsOf(plan: TurnPlan): Gap[] {
  const gaps: Gap[] = [];
  let fromMs = 0;
  let phase: Gap['class'] = 'first';
  for (const step of plan.steps) {
    gaps.push({ fromMs, toMs: step.atMs, endsBy: step.what, class: phase });
    fromMs = step.untilMs;
    if (step.what === 'text' || step.what === 'reasoning') phase = step.what;
    else if (phase === 'first') phase = 'first+evidence';
  }
  gaps.push({ fromMs, toMs: plan.endMs, endsBy: 'end', class: phase });
  return gaps;
}
