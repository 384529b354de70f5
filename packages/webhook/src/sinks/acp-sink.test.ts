import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { type AgentConnection, agent, client, ndJsonStream } from '@agentclientprotocol/sdk';
import { AgentSideConnection, ClientSideConnection, ndJsonStream as ndJsonStream1 } from 'acp-sdk-1';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WebhookEvent } from '../receive/events.generated.ts';
import { expiredEvent, type SampleEvent, staleEvent } from '../receive/sample-events.ts';
import { type AcpPeer, acpSink } from './acp-sink.ts';

// The worker is the agent, its parent the client; both of the official SDK, over a real socket.

interface Told {
  readonly message: string;
  readonly sessionId?: string;
  readonly event: WebhookEvent;
  readonly _meta: { readonly traceparent: string };
}

const never = new AbortController().signal;
const eventOf = (sample: SampleEvent): WebhookEvent => sample as unknown as WebhookEvent;
let server: Server;
let sockets: [Socket, Socket];

const streamOf = (socket: Socket): ReturnType<typeof ndJsonStream> =>
  ndJsonStream(Writable.toWeb(socket), Readable.toWeb(socket) as ReadableStream<Uint8Array<ArrayBuffer>>);

beforeEach(async () => {
  const accepted = new Promise<Socket>((resolve) => {
    server = createServer(resolve);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP server');
  const near = dial(address.port, '127.0.0.1');
  sockets = [near, await accepted];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** Connects both sides; resolves with what the client is told by `method`. */
function connected(method: string): { worker: AgentConnection; told: Promise<Told> } {
  const told = new Promise<Told>((resolve) => {
    client({ name: 'parent' })
      .onNotification(
        method,
        (params: unknown) => params as Told,
        ({ params }) => resolve(params),
      )
      .connect(streamOf(sockets[0]));
  });
  return { worker: agent({ name: 'worker' }).connect(streamOf(sockets[1])), told };
}

it('a client of the SDK hears of a stale turn, with the whole event and the trace of the turn', async () => {
  const { worker, told } = connected('_turnwatch/turn_stale');
  const event = eventOf(staleEvent(3));
  const sink = acpSink({ peer: worker.client, sessionId: () => 'sess_9f2c' });
  await sink.deliver(event, never);
  const { message, ...rest } = await told;
  expect(rest).toEqual({
    sessionId: 'sess_9f2c',
    event,
    _meta: { traceparent: expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/) },
  });
  expect(message).toContain('turn "turn_1"');
  expect(sink.name).toBe('acp');
});

it('an expired turn has a method of its own; one that the client does not know harms nothing', async () => {
  const { worker, told } = connected('_turnwatch/turn_expired');
  const sink = acpSink({ peer: worker.client });
  await sink.deliver(eventOf(staleEvent(1)), never);
  await sink.deliver(eventOf(expiredEvent(2)), never);
  expect(await told).toMatchObject({ event: { type: 'turn.expired' } });
  expect(worker.signal.aborted).toBe(false);
});

it('works with SDK 1 on both sides', async () => {
  const told = new Promise<readonly [string, unknown]>((resolve) => {
    const hears = {
      requestPermission: () => Promise.reject(new Error('not asked for here')),
      sessionUpdate: async () => undefined,
      extNotification: async (method: string, params: unknown) => resolve([method, params]),
    };
    new ClientSideConnection(() => hears, streamOf(sockets[0]) as ReturnType<typeof ndJsonStream1>);
  });
  const unused = async (): Promise<never> => Promise.reject(new Error('not asked for here'));
  const worker = new AgentSideConnection(
    () => ({ initialize: unused, newSession: unused, authenticate: unused, prompt: unused, cancel: unused }),
    ndJsonStream1(
      Writable.toWeb(sockets[1]),
      Readable.toWeb(sockets[1]) as ReadableStream<Uint8Array<ArrayBuffer>>,
    ),
  );
  const peer: AcpPeer = { notify: (method, params) => worker.extNotification(method, params) };
  await acpSink({ peer }).deliver(eventOf(staleEvent(3)), never);
  expect(await told).toEqual([
    '_turnwatch/turn_stale',
    expect.objectContaining({ event: expect.objectContaining({ type: 'turn.stale' }) }),
  ]);
});

it('a peer that never takes the notification holds nobody longer than the signal', async () => {
  const controller = new AbortController();
  const peer: AcpPeer = {
    notify: () => {
      controller.abort(new Error('enough'));
      return new Promise(() => undefined);
    },
  };
  await expect(acpSink({ peer }).deliver(eventOf(staleEvent(1)), controller.signal)).rejects.toThrow(
    'enough',
  );
});

it('a closed connection is a rejection', async () => {
  const { worker } = connected('_turnwatch/turn_stale');
  worker.close();
  await worker.closed;
  await expect(acpSink({ peer: worker.client }).deliver(eventOf(staleEvent(1)), never)).rejects.toThrow();
});
