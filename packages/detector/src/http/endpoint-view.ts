import type { EndpointDocument } from '@turnwatch/protocol';
import { defaultTypes, type EndpointState } from '@turnwatch/webhook/send';
import { publicKeyOf } from '@turnwatch/webhook/sign';
import type { KnownEndpoint } from '../endpoints/endpoint-book.ts';

/** An endpoint as it is shown: nothing in it lets anybody sign or call in its name. */
export function endpointView(known: KnownEndpoint, state: EndpointState | undefined): EndpointDocument {
  const { config } = known;
  const stored = known.source === 'api' ? known.stored : undefined;
  const ends = (stored?.secrets ?? []).flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs]));
  const { lastError } = state ?? {};
  return {
    id: config.id,
    url: withoutQuery(config.url),
    source: known.source,
    readOnly: known.source === 'config',
    match: config.match ?? {},
    types: config.types ?? defaultTypes,
    contentType: config.contentType ?? 'application/json',
    status: state?.status ?? 'active',
    failingSince: iso(state?.failingSinceMs ?? null),
    lastError:
      lastError === undefined
        ? null
        : { code: lastError.code, message: lastError.message, status: lastError.status ?? null },
    secrets: config.secrets.length,
    rotatedOutAt: iso(ends.length === 0 ? null : Math.min(...ends)),
    createdAt: iso(stored?.createdAtMs ?? null),
    publicKeys: config.secrets.filter((secret) => secret.startsWith('whsk_')).map(publicKeyOf),
  };
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function withoutQuery(text: string): string {
  const url = new URL(text);
  url.search = '';
  url.hash = '';
  return url.href;
}
