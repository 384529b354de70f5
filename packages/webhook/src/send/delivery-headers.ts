import { createHash } from 'node:crypto';
import { sign } from '../sign/signature.ts';
import { version } from '../version.ts';
import type { EndpointConfig } from './endpoint.ts';
import type { DeliveryRow } from './outbox.ts';

/** What of a row the headers are made of. */
export type DeliveryContent = Pick<DeliveryRow, 'id' | 'endpointId' | 'body' | 'attempts'>;

/**
 * The headers of one attempt. The id stays, the timestamp is fresh (so that a late retry passes the receiver's
 * tolerance), and every active secret signs.
 * @throws WebhookError `bad_secret`
 */
export function deliveryHeaders(
  endpoint: EndpointConfig,
  row: DeliveryContent,
  nowMs: number,
): Record<string, string> {
  // A plugin tells in its own way.
  if (endpoint.plugin !== undefined) return {};
  const timestampS = Math.floor(nowMs / 1000);
  return {
    'content-type': endpoint.contentType ?? 'application/json',
    'user-agent': `turnwatch/${version}`,
    'webhook-id': row.id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': sign({ id: row.id, timestampS, body: row.body, secrets: endpoint.secrets }),
    traceparent: traceparent(row, nowMs),
    ...(endpoint.bearer === undefined ? {} : { authorization: `Bearer ${endpoint.bearer}` }),
  };
}

// One trace a delivery, over all its attempts and restarts; the turn's own trace id is in the document. Derived, not
// random: nothing has to be kept for it.
function traceparent(row: DeliveryContent, nowMs: number): string {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const delivery = `${row.id}\n${row.endpointId}`;
  return `00-${hash(delivery).slice(0, 32)}-${hash(`${delivery}\n${row.attempts}\n${nowMs}`).slice(0, 16)}-01`;
}
