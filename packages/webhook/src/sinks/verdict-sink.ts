import type { WebhookEvent } from '../receive/events.generated.ts';

/** A way to tell an agent of a verdict. Who is told of what, and what happens after a failure, is its caller's to decide. */
export interface VerdictSink {
  /** For logs and metrics: low-cardinality, `a2a`, `acp`, `mcp` where the options name no other. */
  readonly name: string;
  /**
   * Tells one event, at most once per call. Deliver again after a rejection: the event keeps its id, and receivers drop
   * what they have had.
   * @param signal ends the attempt, with its reason as the rejection; what was written by then may still arrive
   * @throws SinkError when nobody is there to be told, or when the other side refuses
   */
  deliver(event: WebhookEvent, signal: AbortSignal): Promise<void>;
}
