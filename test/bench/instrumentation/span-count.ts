import type { SpanProcessor } from '@opentelemetry/sdk-trace';

/** Counts the spans that have ended: whether anything is instrumented at all. */
export class SpanCount implements SpanProcessor {
  ended = 0;

  onStart(): void {
    // Only the end counts.
  }

  onEnd(): void {
    this.ended++;
  }

  async forceFlush(): Promise<void> {
    // Nothing is kept.
  }

  async shutdown(): Promise<void> {
    // Nothing is kept.
  }
}
