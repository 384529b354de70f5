import type {
  Happening,
  Origin,
  ProcessSignal,
  Signal,
  TurnIdentity,
  TurnReport,
  TurnSignal,
} from '@turnwatch/core';
import { signalToRecord } from '@turnwatch/protocol';
import { encodeLogsJson, encodeLogsProtobuf } from '@turnwatch/protocol/otlp';

/** An agent process with one turn, as far as its records go; its clock is what the test says. */
export class ScriptedAgent {
  readonly process: string;
  readonly turn: string;
  readonly identity: TurnIdentity;
  a = 0;
  #seq = 0;

  constructor(turn: string, identity: TurnIdentity = {}) {
    this.turn = turn;
    this.process = `process-of-${turn}`;
    this.identity = identity;
  }

  /** The turn's record with its whole state; `quietMs` ago something happened last. */
  says(happening: Happening, quietMs = 0, more: Partial<TurnReport> = {}): TurnSignal {
    const lastA = this.a - quietMs;
    return {
      type: 'turn',
      turn: this.turn,
      attempt: 1,
      incarnation: 1,
      origin: this.#origin(),
      happening,
      identity: this.identity,
      report: {
        phase: 'agent',
        phaseA: 0,
        lastA,
        lastKind: 'agent_step',
        productiveA: lastA,
        handover: false,
        requests: [],
        calls: [],
        chunks: 0,
        ...more,
      },
    };
  }

  beat(openTurns: readonly string[] = [this.turn]): ProcessSignal {
    return {
      type: 'process',
      origin: this.#origin(),
      name: 'heartbeat',
      loopAgeMs: 0,
      worker: true,
      hostClass: 'server',
      openTurns,
      openCount: openTurns.length,
      endedTurns: [],
    };
  }

  #origin(): Origin {
    return { process: this.process, boot: 'boot-1', seq: ++this.#seq, a: this.a };
  }
}

export function protobufOf(signals: readonly Signal[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encodeLogsProtobuf(signals.map((signal) => signalToRecord(signal))));
}

export function jsonOf(signals: readonly Signal[]): string {
  return encodeLogsJson(signals.map((signal) => signalToRecord(signal)));
}

/** Sends them as protobuf; the answer is the test's to judge. */
export function post(url: string, signals: readonly Signal[], token?: string): Promise<Response> {
  return fetch(`${url}/v1/logs`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-protobuf',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: protobufOf(signals),
  });
}
