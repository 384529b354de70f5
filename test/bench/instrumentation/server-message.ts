/** Asks for the state of the server's thread. */
export type ToServer = 'state';

export interface ServerState {
  readonly cpuUs: number;
  /** Exports that have arrived so far. */
  readonly traces: number;
  readonly logs: number;
}

export type FromServer = { readonly port: number } | ServerState;
