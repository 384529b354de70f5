import type { Now, Origin, Signal, TurnSignal } from '@turnwatch/core';

export const turnsPerProcess = 100;
/** One turn and the nine that it has started. */
const familySize = 10;

/** Many turns in the text phase of a streamed request, in processes of 100 each, as their heartbeats tell of them. */
export class Load {
  readonly #size: number;
  readonly #seqs: Float64Array;
  readonly #wallZeroMs: number;
  #ms = 1_000_000;
  #newcomers = 0;

  /** @param wallZeroMs what the wall clock says about where the others begin */
  constructor(size: number, wallZeroMs = 1_767_225_600_000) {
    this.#size = size;
    this.#wallZeroMs = wallZeroMs;
    this.#seqs = new Float64Array(Math.ceil(size / turnsPerProcess));
  }

  get now(): Now {
    return { awakeMs: this.#ms, bootMs: this.#ms, wallMs: this.#wallZeroMs + this.#ms };
  }

  later(ms: number): Now {
    this.#ms += ms;
    return this.now;
  }

  get processes(): number {
    return this.#seqs.length;
  }

  /** The first record of each turn, a batch a process. */
  *starts(): Generator<Signal[]> {
    for (let process = 0; process < this.processes; process++) yield this.startOf(process);
  }

  startOf(process: number): Signal[] {
    return this.#turnsOf(process).map((turn) => this.#heartbeat(process, turn, true));
  }

  /** One turn more, in a process of its own. */
  newcomer(): Signal[] {
    const n = this.#newcomers++;
    return [this.#heartbeat(this.#seqs.length + n, this.#size + n, true)];
  }

  /** One heartbeat of each process and of its turns, a batch a process. */
  *beats(): Generator<Signal[]> {
    for (let process = 0; process < this.processes; process++) yield this.beatOf(process);
  }

  beatOf(process: number): Signal[] {
    const turns = this.#turnsOf(process);
    return [
      {
        type: 'process',
        name: 'heartbeat',
        origin: this.#origin(process),
        loopAgeMs: 0,
        worker: true,
        hostClass: 'server',
        service: 'agents',
        openTurns: turns.map(idOf),
        openCount: turns.length,
        endedTurns: [],
      },
      ...turns.map((turn) => this.#heartbeat(process, turn, false)),
    ];
  }

  #turnsOf(process: number): number[] {
    const from = process * turnsPerProcess;
    return Array.from({ length: Math.min(turnsPerProcess, this.#size - from) }, (_, i) => from + i);
  }

  #heartbeat(process: number, turn: number, first: boolean): TurnSignal {
    const origin = this.#origin(process);
    const startedA = 1000;
    return {
      type: 'turn',
      turn: idOf(turn),
      attempt: 1,
      incarnation: 1,
      origin,
      happening: { name: first ? 'started' : 'heartbeat' },
      ...(first
        ? {
            identity: {
              ...(turn % familySize === 0 ? {} : { parentId: idOf(turn - (turn % familySize)) }),
              agent: 'coder',
              service: 'agents',
              provider: 'anthropic',
              model: `model-${process % 8}`,
              route: 'api',
              startedAtMs: this.#wallZeroMs,
            },
          }
        : {}),
      report: {
        phase: 'text',
        phaseA: startedA + 2000,
        lastA: origin.a - 30,
        lastKind: 'chunk',
        firstA: origin.a - 990,
        lastContentA: origin.a - 30,
        productiveA: origin.a - 30,
        handover: false,
        requests: [
          { id: `req-${turn}`, startedA, streaming: true, promptTokens: 12_000, contentA: startedA + 2000 },
        ],
        calls: [],
        expiresInMs: 3_600_000,
        chunks: 1200,
      },
    };
  }

  #origin(process: number): Origin {
    const seq = (this.#seqs[process] ?? 0) + 1;
    this.#seqs[process] = seq;
    return {
      process: `7c9e6679-7425-40de-944b-${String(process).padStart(12, '0')}`,
      boot: `f47ac10b-58cc-4372-a567-${String(process).padStart(12, '0')}`,
      seq,
      a: this.#ms,
      wallMs: this.#wallZeroMs + this.#ms,
    };
  }
}

function idOf(turn: number): string {
  return `turn-0192f8a0-7b1c-7000-8000-${String(turn).padStart(12, '0')}`;
}
