import { configure, startTurn } from '@turnwatch/instrumentation';
import { machineMs } from './machine-ms.ts';
import { stalls } from './receiver.ts';

// A real agent process: the SDK with its heartbeat lane. Its turns stream, and stop one after the other, each at an instant
// of its own within the window; it notes the last chunk of each. Arguments: endpoint, turns, window in ms.

export interface AgentSaid {
  readonly kind: 'stopped';
  readonly lastMs: Readonly<Record<string, number>>;
}

const everyMs = 50;
const [endpoint = '', turns = '0', window = '0'] = process.argv.slice(2);
configure({ endpoint, spans: false });
const lastMs: Record<string, number> = {};
const running = Array.from({ length: Number(turns) }, (_, i) => {
  const turn = startTurn({ id: `stalls-${i}`, provider: stalls.provider, model: stalls.model });
  const request = turn.request();
  request.chunk();
  return { turn, request, stopsMs: Math.random() * Number(window) };
});
const begunMs = machineMs();
const timer = setInterval(() => {
  for (const each of running) {
    const nowMs = machineMs();
    if (nowMs - begunMs > each.stopsMs) continue;
    each.request.chunk();
    lastMs[each.turn.id] = nowMs;
  }
  if (machineMs() - begunMs <= Number(window)) return;
  clearInterval(timer);
  const said: AgentSaid = { kind: 'stopped', lastMs };
  process.send?.(said);
}, everyMs);
// Its exit would be another verdict: it stays until it is ended.
process.on('message', () => undefined);
process.on('disconnect', () => process.exit());
