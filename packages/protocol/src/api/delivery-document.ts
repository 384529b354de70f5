import { z } from 'zod';
import { wholeNumber } from './whole-number.ts';

export const deliveryStates = ['pending', 'delivered', 'dead', 'superseded'] as const;
export type DeliveryStateName = (typeof deliveryStates)[number];

export interface DeliveryQuery {
  readonly state?: DeliveryStateName;
  readonly endpoint?: string;
  readonly turn?: string;
  /** 1 to 200, default 50. */
  readonly limit: number;
  readonly cursor?: string;
}

/** Query of `GET /v1/deliveries`, from strings. */
export const deliveryQuery: z.ZodType<DeliveryQuery> = z.strictObject({
  state: z.enum(deliveryStates).exactOptional(),
  endpoint: z.string().min(1).max(64).exactOptional(),
  turn: z.string().min(1).max(128).exactOptional(),
  limit: wholeNumber(1, 200, 50),
  cursor: z.string().min(1).max(512).exactOptional(),
});

export interface DeliveryErrorDocument {
  /** Stable: `timeout`, `blocked_address`, `redirect`, `gone`, ... */
  readonly code: string;
  readonly message: string;
  /** Of the endpoint's answer, where there was one. */
  readonly status: number | null;
}

/** One event for one endpoint. */
export interface DeliveryDocument {
  /** `EVENT:ENDPOINT`, for `POST /v1/deliveries/:id/replay`. */
  readonly id: string;
  readonly event: string;
  readonly endpoint: string;
  readonly type: string;
  readonly turn: string | null;
  readonly sequence: string;
  readonly state: DeliveryStateName;
  /** Since it was queued, or replayed. */
  readonly attempts: number;
  readonly queuedAt: string;
  /** Null unless it is pending. */
  readonly nextAttemptAt: string | null;
  /** Why the last attempt failed, or why it is dead. */
  readonly lastError: DeliveryErrorDocument | null;
  /** Id of the newer event of the turn whose delivery made this one worthless. */
  readonly supersededBy: string | null;
  /** The last 20 attempts, oldest first, also those before a replay. */
  readonly log: readonly {
    readonly at: string;
    readonly outcome: 'delivered' | 'retry' | 'dead';
    readonly status: number | null;
    readonly error: { readonly code: string; readonly message: string } | null;
  }[];
}

export interface DeliveryList {
  readonly deliveries: readonly DeliveryDocument[];
  readonly nextCursor: string | null;
}

const instant = z.iso.datetime();

export const deliveryDocument: z.ZodType<DeliveryDocument> = z.object({
  id: z.string(),
  event: z.string(),
  endpoint: z.string(),
  type: z.string(),
  turn: z.string().nullable(),
  sequence: z.string().regex(/^\d{16}$/),
  state: z.enum(deliveryStates),
  attempts: z.int().nonnegative(),
  queuedAt: instant,
  nextAttemptAt: instant.nullable(),
  lastError: z.object({ code: z.string(), message: z.string(), status: z.int().nullable() }).nullable(),
  supersededBy: z.string().nullable(),
  log: z.array(
    z.object({
      at: instant,
      outcome: z.enum(['delivered', 'retry', 'dead']),
      status: z.int().nullable(),
      error: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  ),
});

/** Answer of `GET /v1/deliveries`: the newest event first. */
export const deliveryList: z.ZodType<DeliveryList> = z.object({
  deliveries: z.array(deliveryDocument),
  nextCursor: z.string().nullable(),
});
