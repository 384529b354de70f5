import type { Outcome } from './producer/signal.ts';
import type { ProducerTurn } from './producer/turn.ts';
import { guarded } from './runtime.ts';

/** One open tool call of a turn. No method throws for reasons of telemetry. */
export class ToolHandle {
  readonly id: string;
  readonly #turn: ProducerTurn;

  constructor(turn: ProducerTurn, id: string) {
    this.#turn = turn;
    this.id = id;
  }

  /** A non-terminal update of the call: restarts its grace. */
  progress(): void {
    guarded(() => this.#turn.toolProgress(this.id));
  }

  /** A second terminal update is a duplicate: counted, no activity. */
  end(outcome: Outcome = 'completed'): void {
    guarded(() => this.#turn.toolEnded(this.id, outcome));
  }
}
