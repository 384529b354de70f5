import type { ContentKind, RequestHandle } from '@turnwatch/instrumentation';

/** The parts of a model's stream, as far as they are told apart. */
export interface StreamPart {
  readonly type: string;
  readonly delta?: unknown;
}

/** Tells what a part of the stream is: content by its kind, a sign of life, or an event without content. */
export function tellPart(part: StreamPart, request: RequestHandle): void {
  switch (part.type) {
    case 'text-delta':
      tellDelta(part, 'text', request);
      break;
    case 'reasoning-delta':
      tellDelta(part, 'reasoning', request);
      break;
    case 'tool-input-delta':
      tellDelta(part, 'tool_args', request);
      break;
    case 'tool-input-start':
    case 'tool-call':
      request.chunk('tool_args');
      break;
    case 'file':
    case 'source':
      request.chunk('text');
      break;
    case 'ping':
      request.keepalive();
      break;
    default:
      request.lifecycle(part.type);
  }
}

function tellDelta({ delta }: StreamPart, kind: ContentKind, request: RequestHandle): void {
  // An empty delta is how gateways pass on a ping: no token (000).
  if (delta === '') request.keepalive();
  else request.chunk(kind);
}
