import { Buffer } from 'node:buffer';
import { WebhookError } from './webhook-error.ts';

/** How to hand over the raw body; the commonest fault of receivers (stripe-node 341, 1254; mux-node-sdk 587). */
export const bodyNotRawMessage: string =
  'the body was parsed before verification: hand over the raw body. ' +
  'A signature covers bytes, and JSON made anew from an object has other bytes. ' +
  'In express, mount the receiver before express.json(), or put express.raw({ type: () => true }) on its route; ' +
  'elsewhere pass the unread Request, or await request.text()';

/**
 * The bytes that were signed.
 * @throws WebhookError `body_not_raw` for anything but a string or bytes.
 */
export function rawBody(body: unknown): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  if (body instanceof Uint8Array) return body;
  throw new WebhookError('body_not_raw', bodyNotRawMessage);
}
