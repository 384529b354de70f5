import type { DeliveryState } from '@turnwatch/webhook/send';

export interface DeliveryFilter {
  readonly state?: DeliveryState;
  /** Only rows of these endpoints. */
  readonly endpoints?: readonly string[];
  readonly turn?: string;
}

/** Where a page of deliveries ended; the endpoint decides between rows of one event. */
export interface DeliveryPosition {
  readonly sequence: number;
  readonly endpointId: string;
}

/** The newest event first. */
export function newestDeliveryFirst(one: DeliveryPosition, other: DeliveryPosition): number {
  return (
    other.sequence - one.sequence ||
    (one.endpointId < other.endpointId ? -1 : one.endpointId > other.endpointId ? 1 : 0)
  );
}
