import type { Registry } from '@turnwatch/core';
import type { DetectorConfig } from './config/shape.ts';
import type { EndpointBook } from './endpoints/endpoint-book.ts';
import type { Logger } from './logger.ts';
import type { Pipeline } from './pipeline/pipeline.ts';
import type { TurnStore } from './store/turn-store.ts';

/** What operators did is kept for long, but not for ever. */
const maxAudit = 100_000;
/** How long ended turns are kept where there are nearly too many. */
const crowdedTurnsMs = 3_600_000;

export interface Kept {
  readonly retention: DetectorConfig['retention'];
  readonly pipeline: Pick<Pipeline, 'forget' | 'crowded'>;
  readonly registry: Pick<Registry, 'learned'>;
  readonly store: Pick<
    TurnStore,
    'purgeAudit' | 'purgeDeliveries' | 'purgeEvents' | 'purgeBaselines' | 'shrink'
  >;
  readonly logger: Logger;
}

/**
 * Drops what has been kept for as long as it is to be: turns from memory and store, deliveries with their attempts, events,
 * baselines that nobody learns from. What still has to be told is never dropped.
 */
export function dropOld({ retention, pipeline, registry, store, logger }: Kept, wallMs: number): void {
  const { settledTurnsMs, maxSettledTurns, eventsMs, maxEvents, maxDeliveries, baselinesMs, maxBaselines } =
    retention;
  pipeline.forget(wallMs - settledTurnsMs, maxSettledTurns);
  // Turns that have ended are dropped early rather than new ones refused.
  if (pipeline.crowded) {
    logger.warn(
      {},
      'nearly as many turns are known as may be (detector.ingest.maxTurns); those that ended an hour ago are dropped',
    );
    pipeline.forget(wallMs - crowdedTurnsMs);
  }
  try {
    store.purgeDeliveries(wallMs - settledTurnsMs, maxDeliveries);
    store.purgeEvents(wallMs - eventsMs, maxEvents);
    store.purgeAudit(maxAudit);
    for (const key of store.purgeBaselines(wallMs - baselinesMs, maxBaselines)) registry.learned.drop(key);
    store.shrink();
  } catch (error) {
    logger.warn({ err: error }, 'what is old could not be dropped; it is tried again in a minute');
  }
}

/** Secrets that are rotated out sign no more once their overlap is over. */
export function endOverlaps(book: Pick<EndpointBook, 'tick'>, logger: Logger): void {
  try {
    book.tick();
  } catch (error) {
    logger.warn({ err: error }, 'a secret that is rotated out signs on; it is tried again in a second');
  }
}
