import type { TurnExpiredEvent } from './events.generated.ts';

/** The reason an `AbortSignal` gets when its turn's horizon has passed. */
export class TurnExpiredError extends Error {
  readonly turnId: string;
  readonly event: TurnExpiredEvent;

  constructor(event: TurnExpiredEvent) {
    super(`turn ${event.data.turn.id} is past its horizon: it is settled as expired`);
    this.name = 'TurnExpiredError';
    this.turnId = event.data.turn.id;
    this.event = event;
  }
}

/**
 * A handler for `onExpired` that aborts the turn's controller and takes it out of the map.
 * @param controllers by turn id: put one in when a turn starts, take it out when it ends
 */
export function abortOnExpired(controllers: Map<string, AbortController>): (event: TurnExpiredEvent) => void {
  return (event) => {
    const { id } = event.data.turn;
    const controller = controllers.get(id);
    controllers.delete(id);
    controller?.abort(new TurnExpiredError(event));
  };
}
