import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isLoopbackHost } from './loopback.ts';

export interface NamesConfig {
  readonly host: string;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
}

/** Names that nobody can register in the public DNS, so no stranger can point them here. */
const privateSuffixes = ['.local', '.localhost', '.internal', '.home.arpa', '.svc'];

/**
 * Tells whether the detector goes by a name. A web page of a stranger can be pointed at the detector by a name of the
 * stranger's own (DNS rebinding), and then Host shows that name. So what a stranger could own must be configured:
 * `publicUrl` or `allowedHosts`. Beyond loopback an IP address, a name without dots (a container, a service) and names
 * under private suffixes are let through, since no stranger has those. On loopback only loopback's own names are.
 */
export function knownNames({ host, publicUrl, allowedHosts }: NamesConfig): (name: string) => boolean {
  const loopbackOnly = isLoopbackHost(host);
  const exact = new Set([
    host.toLowerCase(),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
  ]);
  if (!loopbackOnly) exact.add(hostname().toLowerCase());
  const suffixes: string[] = [];
  for (const allowed of allowedHosts)
    if (allowed.startsWith('*.')) suffixes.push(allowed.slice(1).toLowerCase());
    else exact.add(allowed.toLowerCase());
  return (given) => {
    const name = given.toLowerCase().replace(/\.$/, '');
    if (name === '') return false;
    if (isLoopbackHost(name) || exact.has(name) || suffixes.some((suffix) => name.endsWith(suffix)))
      return true;
    if (loopbackOnly) return false;
    const bare = name.startsWith('[') ? name.slice(1, -1) : name;
    return isIP(bare) !== 0 || !name.includes('.') || privateSuffixes.some((suffix) => name.endsWith(suffix));
  };
}
