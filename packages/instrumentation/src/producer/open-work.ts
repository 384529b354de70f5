import type { ContentKind, Phase, WaitingFor } from './signal.ts';

// What a turn has open. Plain mutable objects: they are changed once a chunk.

export interface OpenRequest {
  readonly id: string;
  readonly startedA: number;
  readonly streaming: boolean;
  readonly promptTokens?: number;
  /** On the boot clock. */
  readonly deadlineMs?: number;
  /** `first_token` until the first content, then its kind; `non_streaming` throughout. */
  phase: Phase;
  contentA?: number;
  // Evidence belongs to the request on whose stream it came: a new request starts without any.
  progressA?: number;
  keepaliveA?: number;
  read?: number;
  total?: number;
}

export interface OpenCall {
  readonly id: string;
  readonly name?: string;
  readonly startedA: number;
  readonly timeoutMs?: number;
  quietSinceA: number;
  updates: number;
  childTurn?: string;
  /** When its last progress record went out; the heartbeat carries the rest. */
  toldA?: number;
}

export interface Wait {
  readonly for: WaitingFor;
  readonly sinceA: number;
  /** On the boot clock. */
  readonly untilMs?: number;
  readonly call?: string;
}

export function contentPhase(request: OpenRequest, kind: ContentKind): Phase {
  return request.streaming ? kind : 'non_streaming';
}
