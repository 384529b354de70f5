import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  LoggingMessageNotificationSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../receive/events.generated.ts';
import { expiredEvent, recoveredEvent, type SampleEvent, staleEvent } from '../receive/sample-events.ts';
import { mcpSink } from './mcp-sink.ts';

const never = new AbortController().signal;
const eventOf = (sample: SampleEvent): WebhookEvent => sample as unknown as WebhookEvent;

describe.each([['2025-11-25', 'legacy'] as const, ['2026-07-28', { pin: '2026-07-28' }] as const])(
  'SDK 2 over stdio, protocol %s',
  (_version, mode) => {
    const told: { method: string }[] = [];
    let client: Client;

    beforeEach(async () => {
      told.length = 0;
      client = new Client({ name: 'parent', version: '1' }, { versionNegotiation: { mode } });
      client.fallbackNotificationHandler = async (notification) => void told.push(notification);
      client.setNotificationHandler('notifications/message', (notification) => void told.push(notification));
      const worker = fileURLToPath(new URL('../../fixtures/mcp-worker.ts', import.meta.url));
      const args = ['--conditions=@turnwatch/source', worker];
      await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    });
    afterEach(() => client.close());

    /** Its answer comes after the notification, on the same pipe. */
    const tell = (event: SampleEvent): Promise<unknown> =>
      client.callTool({ name: 'tell', arguments: { event: JSON.stringify(event) } });

    it('a stale turn is a task that still works and says why; an expired one is cancelled', async () => {
      await tell(staleEvent(1));
      await tell(expiredEvent(2));
      const whole = {
        taskId: 'task_1',
        createdAt: '2026-11-30T10:58:12.004Z',
        lastUpdatedAt: '2026-11-30T11:02:40.250Z',
        ttlMs: null,
        pollIntervalMs: 5000,
      };
      expect(told).toMatchObject([
        {
          method: 'notifications/tasks',
          params: {
            ...whole,
            status: 'working',
            statusMessage: expect.stringContaining('has stopped (silence)'),
            _meta: {
              'turnwatch/event': staleEvent(1),
              traceparent: expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-/),
            },
          },
        },
        {
          params: {
            ...whole,
            status: 'cancelled',
            statusMessage: expect.stringContaining('past its horizon'),
          },
        },
      ]);
    });

    it('where the turn runs in no task, it is a log message', async () => {
      const event = { ...staleEvent(1), subject: 'turn_2' };
      await tell(event);
      expect(told).toMatchObject([
        {
          method: 'notifications/message',
          params: {
            level: 'warning',
            logger: 'turnwatch',
            data: { event, message: expect.stringContaining('has stopped') },
          },
        },
      ]);
    });
  },
);

describe('SDK 1 over HTTP, experimental tasks', () => {
  let http: Server;
  let mcp: McpServer;
  let client: Client1;
  let store: InMemoryTaskStore;
  let taskId: string;
  let createdAt: string;

  beforeEach(async () => {
    store = new InMemoryTaskStore();
    mcp = new McpServer(
      { name: 'worker', version: '1' },
      { capabilities: { logging: {}, tasks: { requests: { tools: { call: {} } } } }, taskStore: store },
    );
    mcp.experimental.tasks.registerToolTask(
      'work',
      {},
      {
        createTask: async ({ taskStore }) => ({ task: await taskStore.createTask({ ttl: 60_000 }) }),
        getTask: ({ taskId, taskStore }) => taskStore.getTask(taskId),
        getTaskResult: async () => ({ content: [] }),
      },
    );
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
    await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
    http = createServer((request, response) => void transport.handleRequest(request, response));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    client = new Client1({ name: 'parent', version: '1' });
    // What the server says unasked goes over the stream that the client opens by GET, and is lost before.
    await new Promise<void>((resolve, reject) => {
      const listened: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (init?.method === 'GET' && response.ok) resolve();
        return response;
      };
      const url = new URL(`http://127.0.0.1:${port}/mcp`);
      const peer = new StreamableHTTPClientTransport(url, { fetch: listened });
      client.connect(peer as Parameters<typeof client.connect>[0]).catch(reject);
    });
    const stream = client.experimental.tasks.callToolStream({ name: 'work', arguments: {} }, undefined, {
      task: {},
    });
    for await (const message of stream) {
      if (message.type !== 'taskCreated') continue;
      ({ taskId, createdAt } = message.task);
      break;
    }
  });
  afterEach(async () => {
    store.cleanup();
    await client.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });

  it('a client hears of it by notification and by polling, in the same words', async () => {
    const heard: unknown[] = [];
    let arrived: () => void = () => undefined;
    client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
      heard.push(params);
      arrived();
    });
    const sink = mcpSink({
      peer: mcp.server,
      tasks: 'experimental',
      task: () => ({ taskId, createdAt, ttlMs: 60_000, pollIntervalMs: 1000 }),
      update: (id, status, message) => store.updateTaskStatus(id, status, message),
    });
    for (const [event, status] of [
      [staleEvent(1), 'working'],
      [recoveredEvent(2), 'working'],
      [expiredEvent(3), 'cancelled'],
    ] as const) {
      const next = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      await sink.deliver(eventOf(event), never);
      await next;
      const polled = await client.experimental.tasks.getTask(taskId);
      expect(polled.status).toBe(status);
      expect(heard.at(-1)).toMatchObject({
        taskId,
        status,
        statusMessage: polled.statusMessage,
        ttl: 60_000,
        pollInterval: 1000,
        _meta: { 'turnwatch/event': event },
      });
    }
    expect(heard).toHaveLength(3);
  });

  it('a task store that refuses is a rejection, and nothing is told', async () => {
    let told = 0;
    const sink = mcpSink({
      peer: { notification: async () => void told++ },
      task: () => ({ taskId: 'unknown', createdAt, ttlMs: null }),
      update: (id, status, message) => store.updateTaskStatus(id, status, message),
    });
    await expect(sink.deliver(eventOf(staleEvent(1)), never)).rejects.toThrow('unknown');
    expect(told).toBe(0);
  });

  it('without a task the client hears it as a log message', async () => {
    const heard = new Promise((resolve) => {
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => resolve(params));
    });
    await mcpSink({ peer: mcp.server }).deliver(eventOf(expiredEvent(1)), never);
    expect(await heard).toMatchObject({
      level: 'error',
      logger: 'turnwatch',
      data: { event: expiredEvent(1) },
    });
  });

  it('a closed server is a rejection', async () => {
    await mcp.close();
    await expect(mcpSink({ peer: mcp.server }).deliver(eventOf(staleEvent(1)), never)).rejects.toThrow(
      'Not connected',
    );
  });
});
