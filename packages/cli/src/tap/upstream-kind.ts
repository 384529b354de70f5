import { isIP } from 'node:net';
import { UsageError } from '../usage-error.ts';
import { isLoopback } from './listen-address.ts';

/** @throws UsageError for what is no http(s) URL */
export function upstreamOf(text: string | undefined): URL {
  if (text === undefined) throw new UsageError('--upstream URL is needed: where requests go');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--upstream must be an http(s) URL, not ${JSON.stringify(text)}`);
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError('--upstream takes no credentials, query or fragment: the client sends its own');
  return url;
}

/** An engine of this host or a private network is local; a name outside of it is an API. */
export function routeTo({ hostname }: URL): 'api' | 'local' {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(host) || /\.(local|lan|internal|localhost)$/.test(host)) return 'local';
  if (isIP(host) === 4) return /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host) ? 'local' : 'api';
  if (isIP(host) === 6) return /^f[cd]/i.test(host) ? 'local' : 'api';
  // A name without a dot is one of the network it is asked in, as the names of containers are.
  return host.includes('.') ? 'api' : 'local';
}
