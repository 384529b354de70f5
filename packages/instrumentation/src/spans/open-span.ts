import * as api from '@opentelemetry/api';
import { Attr } from '@turnwatch/protocol/wire';
import type { Outcome } from '../producer/signal.ts';

export type SpanOutcome = Outcome | 'expired';

/** Of a failure whose class is not known, as the conventions have it. */
export const otherError = '_OTHER';

/** A span that ends once, with an outcome. */
export class OpenSpan {
  readonly span: api.Span;
  #isOver = false;

  constructor(span: api.Span) {
    this.span = span;
  }

  /** A cancelled one is no error: somebody wanted it so. */
  end(wallMs: number, outcome: SpanOutcome, errorType?: string, attributes: api.Attributes = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.span.setAttributes({ ...attributes, [Attr.outcome]: outcome });
    if (outcome === 'expired') {
      this.span.setAttribute(Attr.errorType, 'expired');
      this.span.setStatus({ code: api.SpanStatusCode.ERROR, message: 'expired' });
    } else if (outcome === 'failed') {
      this.span.setAttribute(Attr.errorType, errorType ?? otherError);
      this.span.setStatus({ code: api.SpanStatusCode.ERROR });
    } else if (errorType !== undefined) this.span.setAttribute(Attr.errorType, errorType);
    // A Date: a bare number could be read as an offset.
    this.span.end(new Date(wallMs));
  }
}
