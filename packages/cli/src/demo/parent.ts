import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver } from '@turnwatch/webhook/receive';
import { endWithDemo, report } from './message.ts';

// The parent agent: it started the turns and wants to know when one has stopped. The secret comes by the environment.
endWithDemo();
const receiver = createReceiver({
  secret: process.env.TURNWATCH_WEBHOOK_SECRET ?? '',
  onStale: (event) => told(event.type, event.id, event.data.turn.id, event.data.stale.reason),
  onExpired: (event) => told(event.type, event.id, event.data.turn.id),
  onRecovered: (event) => told(event.type, event.id, event.data.turn.id, event.data.recovered.reason),
  onRequestExpired: (event) => told(event.type, event.id, event.data.turn.id),
});
const server = createServer(receiver.node);
server.listen(0, '127.0.0.1', () => {
  report({ kind: 'ready', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/turnwatch` });
});

function told(type: string, id: string, turn: string, reason?: string): void {
  report({ kind: 'told', id, type, turn, atMs: Date.now(), ...(reason === undefined ? {} : { reason }) });
}
