import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver } from '@turnwatch/webhook/receive';
import { machineMs } from './machine-ms.ts';
import { stalls, webhookSecret } from './receiver.ts';

// The agent that started the turns: a webhook endpoint with the real receiver. It notes when its handler hears of each.

export type ParentSaid =
  | { readonly kind: 'listens'; readonly url: string }
  | { readonly kind: 'heard'; readonly atMs: Readonly<Record<string, number>>; readonly others: number };

const atMs: Record<string, number> = {};
let others = 0;
const receiver = createReceiver({
  secret: webhookSecret,
  onStale({ data }) {
    if (data.turn.id in atMs || data.turn.model !== stalls.model || data.stale.reason !== 'silence') others++;
    else atMs[data.turn.id] = machineMs();
  },
  onEvent: ({ type }) => {
    if (type !== 'turn.stale') others++;
  },
});
const server = createServer((request, response) => void receiver.node(request, response));
server.listen(0, '127.0.0.1', () => {
  say({ kind: 'listens', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/turnwatch` });
});
process.on('message', () => say({ kind: 'heard', atMs, others }));
process.on('disconnect', () => process.exit());

function say(said: ParentSaid): void {
  process.send?.(said);
}
