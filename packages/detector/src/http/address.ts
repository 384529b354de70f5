import type { Request } from 'express';

/** Whom a request without a token is counted for. Of IPv6 the network, which is one caller's as a rule. */
export function addressOf(request: Request): string {
  const address = request.socket.remoteAddress ?? '';
  return address.includes(':') && !address.startsWith('::ffff:')
    ? address.split(':').slice(0, 4).join(':')
    : address;
}
