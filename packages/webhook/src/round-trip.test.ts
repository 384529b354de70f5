import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HTTP } from 'cloudevents';
import express from 'express';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterEach, describe, expect, it } from 'vitest';
import {
  eventId,
  expiredEvent,
  recoveredEvent,
  requestExpiredEvent,
  type SampleEvent,
  staleEvent,
} from './receive/sample-events.ts';
import { createReceiver } from './receive.ts';
import { type EndpointConfig, MemoryOutbox, Sender, type SenderClock } from './send.ts';
import { generateSecret } from './sign.ts';

const clock: SenderClock = {
  nowMs: Date.now,
  setTimer: (fn, ms) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listen(listener: unknown): Promise<string> {
  const server = createServer(listener as never);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/turnwatch`;
}

function senderTo(endpoints: readonly EndpointConfig[], outbox: MemoryOutbox): Sender {
  const sender = new Sender({ outbox, endpoints, clock, random: Math.random });
  sender.start();
  cleanups.push(() => sender.stop());
  return sender;
}

function queue(outbox: MemoryOutbox, event: SampleEvent, endpointId: string): void {
  const { id, type, subject } = event;
  const sequence = Number(event.sequence);
  outbox.add({
    id,
    type,
    turnId: subject,
    sequence,
    endpointId,
    body: JSON.stringify(event),
    createdAtMs: Date.now(),
  });
}

describe('what is sent, judged by the official libraries', () => {
  it.each(['application/json', 'application/cloudevents+json'] as const)(
    '%s: standardwebhooks and svix verify it with either secret, cloudevents reads it',
    async (contentType) => {
      const secrets = [generateSecret(), generateSecret()];
      const received = Promise.withResolvers<{ headers: Record<string, string>; body: string }>();
      const url = await listen(
        async (
          request: AsyncIterable<Buffer> & { headers: Record<string, string> },
          response: { end(): void },
        ) => {
          let body = '';
          for await (const chunk of request) body += chunk.toString();
          response.end();
          received.resolve({ headers: request.headers, body });
        },
      );
      const outbox = new MemoryOutbox();
      const endpoint = { id: 'a', url, secrets, contentType, bearer: 'tok', allowLoopback: true };
      const sender = senderTo([endpoint], outbox);
      const sent = staleEvent(7);
      queue(outbox, sent, 'a');
      sender.wake();
      const { headers, body } = await received.promise;

      expect(body).toBe(JSON.stringify(sent));
      for (const secret of secrets) {
        expect(new StandardWebhook(secret).verify(body, headers)).toEqual(sent);
        expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow();
      }
      expect(() => new StandardWebhook(generateSecret()).verify(body, headers)).toThrow();
      const structured = { ...headers, 'content-type': 'application/cloudevents+json' };
      const event = HTTP.toEvent({ headers: structured, body });
      expect(Array.isArray(event)).toBe(false);
      expect(event).toMatchObject({
        id: eventId(7),
        type: 'turn.stale',
        subject: 'turn_1',
        sequence: '0000000000000007',
      });
      expect((event as unknown as { validate(): boolean }).validate()).toBe(true);
      expect(headers).toMatchObject({
        'content-type': contentType,
        'webhook-id': eventId(7),
        authorization: 'Bearer tok',
        'user-agent': expect.stringMatching(/^turnwatch\/\d+\.\d+\.\d+$/),
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      });
    },
  );
});

describe('from the outbox to the handler', () => {
  it('express and fetch parents each hear every event once, though it is sent twice (w213)', async () => {
    const secret = generateSecret();
    const heard: string[] = [];
    let check: () => void = () => undefined;
    const hear = (text: string): void => {
      heard.push(text);
      check();
    };
    const until = (count: number): Promise<void> =>
      new Promise((resolve) => {
        check = () => {
          if (heard.length >= count) resolve();
        };
        check();
      });
    const parent = (name: string) =>
      createReceiver({ secret, onEvent: (event) => hear(`${name} ${event.type}`) });
    const one = parent('express');
    const app = express();
    app.post('/turnwatch', one.express());
    const two = parent('node');
    const outbox = new MemoryOutbox();
    const sender = senderTo(
      [
        { id: 'express', url: await listen(app), secrets: [secret], allowLoopback: true },
        { id: 'node', url: await listen(two.node), secrets: [secret], allowLoopback: true },
      ],
      outbox,
    );
    const events = [
      staleEvent(1),
      requestExpiredEvent(2),
      recoveredEvent(3),
      { ...expiredEvent(4), subject: 'turn_2' },
    ];
    for (const event of events) for (const id of ['express', 'node']) queue(outbox, event, id);
    sender.wake();
    await sender.idle();
    await until(8);
    for (const row of outbox.rows()) sender.replay(row.id, row.endpointId);
    await sender.idle();
    expect(outbox.rows().map((row) => row.state)).toEqual(Array(8).fill('delivered'));
    expect([...heard].sort()).toEqual(
      ['express', 'node'].flatMap((name) => events.map((event) => `${name} ${event.type}`)).sort(),
    );
    expect(one.stats()).toMatchObject({ accepted: 4, duplicates: 4 });
    expect(two.stats()).toMatchObject({ accepted: 4, duplicates: 4 });
  });

  it('a parent that parsed the body before: the delivery log says how to mend it', async () => {
    const secret = generateSecret();
    const app = express();
    app.use(express.json());
    app.post('/turnwatch', createReceiver({ secret }).express());
    const outbox = new MemoryOutbox();
    const sender = senderTo(
      [{ id: 'a', url: await listen(app), secrets: [secret], allowLoopback: true }],
      outbox,
    );
    queue(outbox, staleEvent(1), 'a');
    sender.wake();
    await sender.idle();
    expect(outbox.get(eventId(1), 'a')).toMatchObject({
      state: 'pending',
      lastError: {
        code: 'client_error',
        status: 400,
        message: expect.stringMatching(/body was parsed before verification/),
      },
    });
  });
});
