import { isIP } from 'node:net';
import { UsageError } from '../usage-error.ts';
import { withoutPassword } from '../without-password.ts';
import { isLoopback, type ListenAddress } from './listen-address.ts';

/** @throws UsageError for what is no http(s) URL */
export function upstreamOf(text: string | undefined): URL {
  if (text === undefined) throw new UsageError('--upstream URL is needed: where requests go');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--upstream must be an http(s) URL, not ${JSON.stringify(withoutPassword(text))}`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
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

/**
 * Whether a tap that listens there would ask itself, as far as the words tell; other names for it are found out when the
 * first request comes back.
 */
export function isItself({ hostname, port, protocol }: URL, listen: ListenAddress): boolean {
  const asked = hostname.replace(/^\[|\]$/g, '');
  if (Number(port || (protocol === 'https:' ? 443 : 80)) !== listen.port) return false;
  return addressesOf(listen.host).some((address) => addressesOf(asked).includes(address));
}

/** Of this host. To ask "any address" is to ask loopback, and to listen there takes what comes for it. */
function addressesOf(host: string): readonly string[] {
  if (host === '0.0.0.0') return ['127.0.0.1'];
  if (host === '::' || host === 'localhost') return ['127.0.0.1', '::1'];
  return [host];
}
