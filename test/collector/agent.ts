import { configure, startTurn, type Turn } from '@turnwatch/instrumentation';

// A real agent: the SDK with its heartbeat lane. Its turns stream until they are told to fall silent or to end.
// Arguments: a JSON text, an AgentStart.

export interface AgentStart {
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly turns: readonly string[];
}

export type AgentOrder =
  | { readonly kind: 'fall silent' | 'end' | 'go on'; readonly turns: readonly string[] }
  | { readonly kind: 'start'; readonly turns: readonly string[] };

/** Thresholds of the tests are for these alone. */
export const scripted = { provider: 'test', model: 'scripted' } as const;

const everyMs = 100;

function main(start: AgentStart): void {
  const { endpoint, headers, turns } = start;
  configure({ endpoint, spans: false, hostClass: 'server', ...(headers === undefined ? {} : { headers }) });
  const running = new Map<string, { readonly turn: Turn; readonly chunk: () => void; silent: boolean }>();
  const begin = (id: string): void => {
    const turn = startTurn({ id, ...scripted });
    const request = turn.request();
    running.set(id, { turn, chunk: () => request.chunk(), silent: false });
  };
  for (const id of turns) begin(id);
  setInterval(() => {
    for (const { silent, chunk } of running.values()) if (!silent) chunk();
  }, everyMs);
  process.on('message', ({ kind, turns: ids }: AgentOrder) => {
    for (const id of ids) {
      if (kind === 'start') begin(id);
      const one = running.get(id);
      if (one === undefined) continue;
      if (kind === 'end') {
        one.turn.end();
        running.delete(id);
      } else one.silent = kind === 'fall silent';
    }
    process.send?.('done');
  });
  process.on('disconnect', () => process.exit());
  process.send?.('begun');
}

if (process.argv[2] !== undefined && process.send !== undefined)
  main(JSON.parse(process.argv[2]) as AgentStart);
