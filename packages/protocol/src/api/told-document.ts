import { z } from 'zod';
import { type DeliveryStateName, deliveryStates } from './delivery-document.ts';

/** Who was told of a turn, and when: one event for one endpoint. */
export interface ToldDocument {
  readonly event: string;
  readonly type: string;
  readonly endpoint: string;
  readonly state: DeliveryStateName;
  readonly queuedAt: string;
  /** Null: not yet, or given up. */
  readonly deliveredAt: string | null;
  readonly attempts: number;
}

export const toldDocument: z.ZodType<ToldDocument> = z.object({
  event: z.string(),
  type: z.string(),
  endpoint: z.string(),
  state: z.enum(deliveryStates),
  queuedAt: z.iso.datetime(),
  deliveredAt: z.iso.datetime().nullable(),
  attempts: z.int().nonnegative(),
});
