import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressJudge } from './blocked-networks.ts';

// Two checks, for node calls `lookup` for names only, never for literal addresses (measured: 0 calls):
// literals when the URL is parsed, every resolved address when the connection is made. The checked address is the one
// dialled, so that a name cannot be resolved to something else in between (DNS rebinding; hyperdx PR 2593).

/** Thrown when an endpoint may not be dialled. Codes are stable. */
export class GuardError extends Error {
  readonly code: 'bad_url' | 'blocked_address';

  constructor(code: 'bad_url' | 'blocked_address', message: string) {
    super(message);
    this.name = 'GuardError';
    this.code = code;
  }
}

/**
 * Parses an endpoint's URL and judges it as far as can be without asking DNS.
 * @throws GuardError `bad_url`: no URL, not http or https, or with credentials in it;
 * `blocked_address`: a literal address (in any spelling), or `localhost`, that the policy refuses.
 */
export function endpointUrl(text: string, judge: AddressJudge): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new GuardError('bad_url', 'the endpoint URL is no absolute URL: write it as https://host/path');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new GuardError('bad_url', `the endpoint URL must be https or http, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new GuardError('bad_url', 'the endpoint URL must hold no user or password: use the bearer field');
  }
  // URL has already made 127.1, 0x7f000001, 2130706433 and circled digits into dotted form.
  const host = hostOf(url);
  if (isIP(host) !== 0) refuse(judge(host), url);
  // RFC 6761: localhost names are loopback, whatever a resolver says.
  if (/(^|\.)localhost\.?$/.test(host)) refuse(judge('127.0.0.1'), url);
  return url;
}

/** The host as an address or a name: IPv6 without its brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function refuse(rule: string | undefined, url: URL): void {
  if (rule !== undefined) throw new GuardError('blocked_address', `${url.hostname}: ${rule}`);
}

/**
 * A `lookup` for `http.request` that hands back allowed addresses only. A name with one refused address among allowed
 * ones is refused whole: such an answer is an attack or a mistake.
 */
export function guardedLookup(
  judge: AddressJudge,
  resolve: LookupFunction = systemLookup as LookupFunction,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const first = addresses[0];
      if (first === undefined) {
        const nothing = Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
        return callback(nothing, '');
      }
      for (const { address } of addresses) {
        const rule = judge(address);
        if (rule !== undefined)
          return callback(new GuardError('blocked_address', `${hostname}: ${rule}`), '');
      }
      if (options.all === true) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
