import { type ApiRoute, apiRoutes, type OperationId } from '@turnwatch/protocol';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';

// Every route of the table is asked on a detector that has something to tell, and what it answers must be what the table
// says: the status, the media type, every field and no other.

interface Asked {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly status?: number;
}

let running: RunningDetector;
let sink: WebhookSink;
let delivery = '';
const key = 'openai|m|agent';

/** How each is asked so that it succeeds. A route that is missing here does not compile. In this order. */
const asked: Readonly<Record<OperationId, Asked>> = {
  listTurns: { query: '?include=told&limit=50' },
  getTurn: { path: { id: 'stalls' } },
  getTimeline: { path: { id: 'stalls' } },
  getLive: {},
  listSources: {},
  listPlugins: {},
  acknowledgeTurn: { path: { id: 'stalls' }, body: { why: 'seen' } },
  muteTurn: { path: { id: 'stalls' }, body: { forMs: 5000 } },
  unmuteTurn: { path: { id: 'stalls' } },
  setTurnThreshold: { path: { id: 'stalls' }, body: { thresholdMs: 5000 } },
  closeTurn: { path: { id: 'stalls' } },
  listAudit: {},
  listBaselines: {},
  getBaseline: { path: { key } },
  excludeGap: { path: { key }, body: { turn: 'healthy' } },
  includeGap: { path: { key, turn: 'healthy' } },
  listEvents: {},
  registerEndpoint: { body: { id: 'mine', url: 'http://127.0.0.1:9/' }, status: 201 },
  rotateEndpointSecret: { path: { id: 'mine' }, body: {} },
  testEndpoint: { path: { id: 'mine' }, status: 202 },
  enableEndpoint: { path: { id: 'mine' } },
  listEndpoints: {},
  getEndpoint: { path: { id: 'gone' } },
  listDeliveries: {},
  replayDelivery: { status: 202 },
  removeEndpoint: { path: { id: 'mine' }, status: 204 },
  getHealth: {},
  getReadiness: {},
  getMetrics: {},
  getDescription: {},
  getErrors: {},
  getIndex: {},
  sendLogs: { body: {} },
  sendTraces: { body: {} },
  sendMetrics: { body: {} },
};

beforeAll(async () => {
  sink = new WebhookSink();
  sink.answer = (response) => void response.writeHead(410).end();
  const url = await sink.listen();
  running = await runDetector();
  const register = { method: 'POST', headers: { 'content-type': 'application/json' } };
  await fetch(`${running.url}/v1/endpoints`, { ...register, body: JSON.stringify({ id: 'gone', url }) });
  const identity = { provider: 'openai', model: 'm', agent: 'worker', parentId: 'planner' };
  const healthy = new ScriptedAgent('healthy', identity);
  await post(running.url, [healthy.says({ name: 'started' })]);
  healthy.a = 500;
  await post(running.url, [healthy.says({ name: 'step' }, 0, { firstA: 500 })]);
  await post(running.url, [healthy.says({ name: 'ended', outcome: 'completed' })]);
  const agent = new ScriptedAgent('stalls', identity);
  const calls = [{ id: 'c1', name: 'bash', startedA: 0, quietSinceA: 0, updates: 0 }];
  await post(running.url, [agent.beat(), agent.says({ name: 'started' }, 0, { calls })]);
  agent.a = 4000;
  await post(running.url, [agent.beat(), agent.says({ name: 'heartbeat' }, 4000)]);
  running.pass(2);
  await sink.until(1);
  delivery = await vi.waitFor(async () => {
    const { body } = await running.json('/v1/deliveries?state=dead');
    const [dead] = body.deliveries as { id: string }[];
    expect(dead).toBeDefined();
    return dead?.id ?? '';
  });
  await fetch(`${running.url}/v1/endpoints/gone/enable`, { method: 'POST' });
});
afterAll(async () => {
  await running.detector.stop();
  await sink.close();
});

test.each(Object.entries(asked) as [OperationId, Asked][])(
  '%s answers as the table says',
  async (id, how) => {
    const route: ApiRoute = apiRoutes[id];
    const parts = id === 'replayDelivery' ? { id: delivery } : how.path;
    const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(parts?.[name] ?? ''),
    );
    const response = await fetch(`${running.url}${path}${how.query ?? ''}`, {
      method: route.method.toUpperCase(),
      ...(how.body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(how.body) }),
    });
    const text = await response.text();
    expect([response.status, response.status < 400 ? '' : text]).toEqual([how.status ?? 200, '']);
    const answer = route.answers[response.status];
    expect(answer).toBeDefined();
    const type = response.headers.get('content-type')?.split(';')[0];
    const types = answer?.types ?? (answer?.schema === undefined ? [undefined] : ['application/json']);
    expect(types).toContain(type);
    if (answer?.schema === undefined) return;
    const body: unknown = JSON.parse(text);
    // What a schema does not know it leaves out, so a field that is not described shows here.
    expect(answer.schema.parse(body)).toStrictEqual(body);
  },
);
