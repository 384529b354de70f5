import { isIPv4, isIPv6 } from 'node:net';

/** Whether only this machine can reach a listener on that host. */
export function isLoopbackHost(host: string): boolean {
  const name = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (name.toLowerCase() === 'localhost') return true;
  if (isIPv4(name)) return name.startsWith('127.');
  return isIPv6(name) && new URL(`http://[${name}]`).hostname === '[::1]';
}
