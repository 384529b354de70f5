import { UsageError } from '../usage-error.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** @throws UsageError for what is no `HOST:PORT`, and for a host beyond this one that is not allowed */
export function listenAddress(text: string, allowRemote: boolean): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535)
    throw new UsageError(`--listen must be HOST:PORT such as 127.0.0.1:4319, not ${JSON.stringify(text)}`);
  const host = bracketed ?? (plain === '' || plain === undefined ? '127.0.0.1' : plain);
  if (!allowRemote && !isLoopback(host))
    throw new UsageError(
      `--listen ${host} lets others reach the upstream by this tap; add --allow-remote where the network is trusted`,
    );
  return { host, port };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
