import type { RequestHandler } from 'express';
import type { Screen } from '../live/screen.ts';
import type { TurnStore } from '../store/turn-store.ts';
import { timelineOf } from '../timeline/timeline-document.ts';
import { may, parentOf } from './access.ts';
import { type DeliveryRoutesOptions, visibleEndpoints } from './deliveries.ts';
import { deliveryView } from './delivery-view.ts';
import { sendUnknownTurn } from './turns.ts';

const shownDeliveries = 50;

/** `GET /v1/turns/:id/timeline`: what happened in a turn, who was told, and why it is held for what it is. */
export function timeline(screen: Screen, { store, book }: DeliveryRoutesOptions): RequestHandler {
  return (request, response) => {
    const id = String(request.params.id);
    const now = screen.now();
    const view = screen.registry.turn(id, now);
    const own = parentOf(response);
    if (view === undefined || (own !== undefined && view.identity.parentId !== own)) {
      sendUnknownTurn(response);
      return;
    }
    response.setHeader('cache-control', 'no-store').json(
      timelineOf({
        view,
        record: screen.timeline.of(id),
        registry: screen.registry,
        policy: screen.policy,
        deliveries: deliveriesOf(store, id, visibleEndpoints(undefined, book, own)),
        mayOperate: may(response, 'operate'),
        wallMs: now.wallMs,
      }),
    );
  };
}

function deliveriesOf(
  store: TurnStore,
  turn: string,
  endpoints: readonly string[] | undefined,
): ReturnType<typeof deliveryView>[] {
  const filter = { turn, ...(endpoints === undefined ? {} : { endpoints }) };
  return store
    .deliveries(filter, undefined, shownDeliveries)
    .map((row) => deliveryView(row, store.attemptsOf(row.id)));
}
