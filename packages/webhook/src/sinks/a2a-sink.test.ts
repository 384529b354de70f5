import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  AgentCard,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskState,
  type TaskStatusUpdateEvent,
} from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  ServerCallContext,
  UnauthenticatedUser,
  V1PushNotificationSerializer,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express, { type Express } from 'express';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WebhookEvent } from '../receive/events.generated.ts';
import { expiredEvent, recoveredEvent, type SampleEvent, staleEvent } from '../receive/sample-events.ts';
import { GuardError } from '../send/guard.ts';
import { type A2aTarget, a2aSink } from './a2a-sink.ts';

// An agent of the official SDK that keeps a push config, a client of the SDK that gave it, and the client's push URL,
// which reads what comes with the SDK's own decoder.

interface Pushed {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly update: TaskStatusUpdateEvent;
  readonly body: unknown;
}

const never = new AbortController().signal;
const loopback = { allowLoopback: true };
const context = new ServerCallContext({ user: new UnauthenticatedUser() });
const eventOf = (sample: SampleEvent): WebhookEvent => sample as unknown as WebhookEvent;
const servers: Server[] = [];
let pushed: Pushed[];
let answer: (response: express.Response) => void;
let pushUrl: string;

async function listen(app: Express): Promise<string> {
  const server = createServer(app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  pushed = [];
  answer = (response) => void response.sendStatus(200);
  const app = express();
  app.post('/push', express.json({ type: 'application/a2a+json' }), (request, response) => {
    const { payload } = StreamResponse.fromJSON(request.body);
    if (payload?.$case === 'statusUpdate')
      pushed.push({ headers: request.headers, update: payload.value, body: request.body });
    answer(response);
  });
  pushUrl = `${await listen(app)}/push`;
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A task that an SDK client has started at an SDK agent, with its push config, as the agent's store gives it back. */
async function startTask(): Promise<A2aTarget[]> {
  const app = express();
  const url = await listen(app);
  const card = AgentCard.fromJSON({
    name: 'worker',
    version: '1',
    capabilities: { pushNotifications: true },
    supportedInterfaces: [{ url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  });
  const configs = new InMemoryPushNotificationStore();
  const requestHandler = new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    {
      async execute({ taskId, contextId }, bus) {
        const status = { state: 'TASK_STATE_WORKING', timestamp: '2026-11-30T10:58:12.004Z' };
        bus.publish(AgentEvent.task(Task.fromJSON({ id: taskId, contextId, status })));
      },
      async cancelTask() {
        throw new Error('not asked for here');
      },
    },
    undefined,
    configs,
    // The agent's own updates are not what is tested.
    { send: async () => undefined },
  );
  app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  const client = await new ClientFactory().createFromAgentCard(card);
  const task = await client.sendMessage(
    SendMessageRequest.fromJSON({
      message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'work' }] },
      configuration: {
        returnImmediately: true,
        taskPushNotificationConfig: {
          url: pushUrl,
          authentication: { scheme: 'Bearer', credentials: 'of-the-client' },
        },
      },
    }),
  );
  if (!('contextId' in task) || !('id' in task)) throw new Error('the agent answered with no task');
  const found = await configs.load(task.id, context);
  return found.map((config) => ({ ...config, taskId: task.id, contextId: task.contextId }));
}

it('tells the client of a task at its push URL, with its credentials, in the form that the SDK reads', async () => {
  const targets = await startTask();
  expect(targets).toHaveLength(1);
  const event = eventOf(staleEvent(7));
  await a2aSink({ targets: () => targets, network: loopback }).deliver(event, never);
  const [seen] = pushed;
  expect(seen?.headers).toMatchObject({
    'content-type': 'application/a2a+json',
    authorization: 'Bearer of-the-client',
    traceparent: expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/),
  });
  expect(seen?.update).toMatchObject({
    taskId: targets[0]?.taskId,
    contextId: targets[0]?.contextId,
    status: { state: TaskState.TASK_STATE_WORKING, timestamp: event.time, message: { messageId: event.id } },
    metadata: { 'urn:turnwatch:event': event },
  });
  expect(seen?.update.status?.message?.parts[0]?.content).toEqual({
    $case: 'text',
    value: expect.stringContaining('turn "turn_1" (agent "worker-3"'),
  });
});

it("writes what the SDK's own sender would write, to the field", async () => {
  const [target] = await startTask();
  if (target === undefined) throw new Error('the agent kept no push config');
  await a2aSink({ targets: () => [target], network: loopback }).deliver(eventOf(expiredEvent(8)), never);
  const body = pushed[0]?.body;
  const { body: theirs, contentType } = new V1PushNotificationSerializer().serialize(
    StreamResponse.fromJSON(body),
  );
  expect(body).toEqual(JSON.parse(theirs));
  expect(contentType).toBe('application/a2a+json');
});

it('an expired turn is a canceled task; a recovered one works', async () => {
  const targets = [{ taskId: 't', contextId: 'c', url: pushUrl, token: 'older' }];
  const sink = a2aSink({ targets: () => targets, network: loopback });
  await sink.deliver(eventOf(expiredEvent(1)), never);
  await sink.deliver(eventOf(recoveredEvent(2)), never);
  expect(pushed.map(({ update }) => update.status?.state)).toEqual([
    TaskState.TASK_STATE_CANCELED,
    TaskState.TASK_STATE_WORKING,
  ]);
  expect(pushed[0]?.headers['x-a2a-notification-token']).toBe('older');
});

it('a refusal rejects with its status, after every target was tried; redirects are refusals', async () => {
  let statuses = [500, 302];
  answer = (response) =>
    void response
      .status(statuses.pop() ?? 200)
      .location(pushUrl)
      .end();
  const target = { taskId: 't', contextId: 'c', url: pushUrl };
  const sink = a2aSink({ targets: () => [target, target], network: loopback });
  await expect(sink.deliver(eventOf(staleEvent(1)), never)).rejects.toMatchObject({ code: 'refused' });
  expect(pushed).toHaveLength(2);
  statuses = [302];
  await expect(sink.deliver(eventOf(staleEvent(1)), never)).rejects.toThrow(/answered 302; redirects/);
});

it('a turn that runs in no task is told so, not dropped', async () => {
  const sink = a2aSink({ targets: async () => [] });
  await expect(sink.deliver(eventOf(staleEvent(1)), never)).rejects.toMatchObject({
    name: 'SinkError',
    code: 'no_target',
  });
});

// webhooks facts, 9: a push URL is the client's choice, and the cloud's metadata service is an address too.
it.each([
  'http://127.0.0.1:1/',
  'http://169.254.169.254/latest/',
  'http://[::ffff:10.0.0.1]/',
  'file:///etc/passwd',
])('does not dial %s', async (url) => {
  const sink = a2aSink({ targets: () => [{ taskId: 't', contextId: 'c', url }] });
  await expect(sink.deliver(eventOf(staleEvent(1)), never)).rejects.toBeInstanceOf(GuardError);
});

it('gives up when told to, at a client that never answers', async () => {
  const controller = new AbortController();
  answer = () => controller.abort(new Error('enough'));
  const sink = a2aSink({
    targets: () => [{ taskId: 't', contextId: 'c', url: pushUrl }],
    network: loopback,
  });
  await expect(sink.deliver(eventOf(staleEvent(1)), controller.signal)).rejects.toThrow('enough');
  await expect(sink.deliver(eventOf(staleEvent(1)), controller.signal)).rejects.toThrow('enough');
  expect(pushed).toHaveLength(1);
});
