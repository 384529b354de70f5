import { observeFetch, startTurn, type Turn } from '@turnwatch/instrumentation';

/** One way of seeing that an engine reads a prompt, with every other switched off. */
export interface Way {
  readonly name: string;
  /** Fields of the request. */
  readonly asks: Readonly<Record<string, unknown>>;
  /** Whether `turnwatch engine` looks on. */
  readonly probe: boolean;
  readonly tap: boolean;
  /** Begins the turn and its request; null: whoever is in between does. */
  begin(id: string, engine: string, model: string): Begun | null;
}

export interface Begun {
  readonly turn: Turn;
  /** How its request is made. */
  readonly fetch: typeof fetch;
}

/** llama-server's own switch; longer than any read here. */
const noPings = { sse_ping_interval: 3600 };
const pings = { sse_ping_interval: 2 };

function localTurn(id: string, engineId: string, model: string): Turn {
  return startTurn({ id, route: 'local', engineId, provider: 'llama.cpp', model });
}

/** The stream is watched. */
function observed(id: string, engine: string, model: string): Begun {
  const turn = localTurn(id, engine, model);
  return { turn, fetch: observeFetch(fetch, { turn: () => turn }) };
}

export const ways: readonly Way[] = [
  {
    name: 'probe',
    asks: noPings,
    probe: true,
    tap: false,
    begin(id, engine, model) {
      const turn = localTurn(id, engine, model);
      turn.request({ streaming: true });
      // Not observed: only the probe can see anything.
      return { turn, fetch };
    },
  },
  { name: 'keep-alives', asks: pings, probe: false, tap: false, begin: observed },
  {
    name: 'return_progress',
    asks: { ...noPings, return_progress: true },
    probe: false,
    tap: false,
    begin: observed,
  },
  { name: 'tap', asks: pings, probe: false, tap: true, begin: () => null },
];
