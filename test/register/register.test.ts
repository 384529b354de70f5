import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, type AppStart, type Ended, nodeOf, startApp } from './app.ts';
import { builtIn, link } from './built.ts';
import { SpanSink } from './span-sink.ts';
import { allowedMs, World } from './world.ts';

// Sample apps as their authors would write them, in processes of their own, beside a detector that really runs.

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = fileURLToPath(new URL('apps/', import.meta.url));
/** Packages for frameworks find the same copy of the instrumentation in the sources. */
const fromSource = ['--conditions=@turnwatch/source', '--import', '@turnwatch/instrumentation/register'];
const patienceMs = 60_000;

let world: World;
let built = '';

beforeAll(async () => {
  built = await builtIn(fileURLToPath(new URL('node_modules/.built/', import.meta.url)));
  world = await World.start();
}, patienceMs);
afterAll(() => world.stop());

interface Start extends Omit<AppStart, 'folder' | 'args'> {
  readonly agent: string;
  readonly folder?: string;
  readonly prompts: readonly string[];
}

function run({ agent, prompts, env, ...start }: Start): App {
  return startApp({
    folder: built,
    ...start,
    args: prompts,
    env: { ...world.env, TURNWATCH_ENDPOINT: world.detectorUrl, TURNWATCH_AGENT: agent, ...env },
  });
}

const well = (stdout: string): Ended => ({ code: 0, stdout, stderr: '' });

const nodes = [
  { name: 'Node 20', node: nodeOf(20), client: 'openai-6' },
  { name: 'Node 22', node: nodeOf(22), client: 'openai' },
  { name: 'Node 24', node: process.execPath, client: 'openai' },
].filter((each): each is typeof each & { node: string } => each.node !== undefined);

// Most of the time all of them wait, for a verdict or for none.
describe.concurrent.each(nodes)(
  'an app with nothing but the openai client on $name',
  ({ name, node, client }) => {
    describe.each(['mjs', 'cjs'])('.%s', (form) => {
      const script = `${client}.${form}`;
      const agentOf = (what: string): string => `${what}-${form}-${name.slice(-2)}`;

      it(
        'shows each request as a turn with what streams, and is flagged when it stalls',
        async () => {
          const agent = agentOf('stall');
          const app = run({ node, script, agent, prompts: ['stall'] });
          const live = await world.until(agent, ({ chunks }) => chunks === 3);
          expect(live).toMatchObject({ state: 'running', phase: 'text', model: 'm1' });
          expect(live.provider).toMatch(/^127\.0\.0\.1:/);
          expect(live.openRequests).toHaveLength(1);
          const stalled = await world.until(agent, ({ stale }) => stale);
          expect(stalled).toMatchObject({ id: live.id, reason: 'silence', phase: 'text' });
          expect(world.wasFlagged(stalled)).toBe(true);
          expect(stalled.silenceMs).toBeGreaterThanOrEqual(allowedMs);
          await app.kill();
        },
        patienceMs,
      );

      it(
        'is not flagged while its stream is kept alive, and ends with the request',
        async () => {
          const agent = agentOf('quiet');
          const app = run({ node, script, agent, prompts: ['quiet', 'short'] });
          expect(await app.ended).toEqual(well('slow but fineall is well'));
          const turns = await world.turns(agent);
          expect(turns.map(({ outcome, chunks }) => ({ outcome, chunks }))).toEqual([
            { outcome: 'completed', chunks: 3 },
            { outcome: 'completed', chunks: 3 },
          ]);
          expect(turns.map((turn) => world.wasFlagged(turn))).toEqual([false, false]);
        },
        patienceMs,
      );
    });
  },
);

const frameworks = [
  ...nodes
    .filter(({ name }) => name !== 'Node 20')
    .map(({ name, node }) => ({
      what: `the AI SDK on ${name}`,
      agent: 'forecaster',
      start: { node, script: 'ai-sdk.mjs' },
    })),
  {
    what: 'the AI SDK, followed by a line of the app',
    agent: 'named',
    start: { script: 'ai-sdk-followed.mjs', folder: sources, flags: fromSource },
  },
  {
    what: 'LangChain',
    agent: 'forecaster',
    start: { script: 'langchain.mjs', folder: sources, flags: fromSource },
  },
  {
    what: 'OpenAI Agents',
    agent: 'forecaster',
    start: {
      script: 'agents.mjs',
      folder: sources,
      flags: fromSource,
      env: { OPENAI_API_KEY: 'none', OPENAI_AGENTS_DISABLE_TRACING: '0' },
    },
  },
] satisfies { what: string; agent: string; start: Omit<Start, 'agent' | 'prompts'> }[];

describe.concurrent.each(frameworks)('an app with $what', ({ agent, start }) => {
  // A detector for each: the app names its agent itself.
  const begin = async (prompt: string): Promise<{ own: World; app: App }> => {
    const own = await World.start();
    const env = {
      ...own.env,
      TURNWATCH_ENDPOINT: own.detectorUrl,
      ...('env' in start ? start.env : {}),
    };
    return { own, app: run({ ...start, agent: 'unnamed', prompts: [prompt], env }) };
  };

  it(
    'shows one turn with its tool and its requests, none twice, and is not flagged while it is kept alive',
    async () => {
      const { own, app } = await begin('tool:quiet');
      const working = await own.until(agent, ({ calls }) => calls.length > 0);
      expect(working).toMatchObject({ state: 'running', phase: 'tool', openRequests: [] });
      expect(working.calls).toMatchObject([{ name: 'search', expired: false }]);
      own.finishTools();
      const asking = await own.until(agent, ({ openRequests }) => openRequests.length > 0);
      expect(asking.openRequests).toHaveLength(1);
      expect(await app.ended).toMatchObject({ code: 0, stdout: 'slow but fine' });
      const ended = await own.until(agent, ({ state }) => state === 'ended');
      expect(ended).toMatchObject({ id: working.id, outcome: 'completed' });
      expect(own.wasFlagged(ended)).toBe(false);
      expect(await own.turns('unnamed')).toEqual([]);
      expect(await own.turns(agent)).toHaveLength(1);
      await own.stop();
    },
    patienceMs,
  );

  it(
    'is flagged when its stream stalls',
    async () => {
      const { own, app } = await begin('stall');
      const stalled = await own.until(agent, ({ stale }) => stale);
      expect(stalled).toMatchObject({ reason: 'silence', chunks: 3 });
      await app.kill();
      await own.stop();
    },
    patienceMs,
  );
});

describe('an SDK of OpenTelemetry', () => {
  // 2.x is found from the package that holds it.
  const lines = [
    { line: '2.x', place: '../otel-2x/node_modules/.register/' },
    { line: '3.x', place: 'node_modules/.register/' },
  ];
  const wanted = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9' };

  it.each(lines)(
    'of the app, $line, is joined though it starts later, and keeps its place',
    async ({ line, place }) => {
      const folder = await builtIn(fileURLToPath(new URL(place, import.meta.url)));
      const agent = `joined-${line}`;
      const app = run({
        script: 'own-sdk.mjs',
        folder,
        agent,
        prompts: ['short'],
        env: { TURNWATCH_ENDPOINT: '', OWN_LOGS_URL: `${world.detectorUrl}/v1/logs`, ...wanted },
      });
      // Its own processor got the span: no provider was there before its own.
      const { stdout, ...rest } = await app.ended;
      expect(rest).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toContain('work');
      expect(await world.turns(agent)).toMatchObject([{ outcome: 'completed', chunks: 3 }]);
    },
    patienceMs,
  );

  it.each(lines)(
    'is started where the app has none, $line, with the name and attributes of the environment',
    async ({ line, place }) => {
      const folder = await builtIn(fileURLToPath(new URL(place, import.meta.url)));
      const agent = `started-${line}`;
      const sink = await SpanSink.start();
      const app = run({
        script: 'no-sdk.mjs',
        folder,
        agent,
        prompts: ['short'],
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
          OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=lab',
          OTEL_SERVICE_NAME: 'named',
        },
      });
      expect(await app.ended).toEqual(well('done'));
      expect(await world.turns(agent)).toMatchObject([{ outcome: 'completed' }]);
      const spans = sink.bodies.get('/v1/traces') ?? '';
      const turn = `invoke_agent ${agent}`;
      for (const part of ['work', turn, 'chat m1', 'named', 'deployment.environment.name', 'lab'])
        expect(spans).toContain(part);
      await sink.stop();
    },
    patienceMs,
  );
});

it('every record has the name and the attributes of the environment', async () => {
  const sink = await SpanSink.start();
  const app = run({
    script: 'openai.mjs',
    agent: 'attributed',
    prompts: ['short'],
    env: {
      TURNWATCH_ENDPOINT: sink.url,
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=by-attribute,deployment.environment.name=lab',
    },
  });
  expect(await app.ended).toEqual(well('all is well'));
  const records = sink.bodies.get('/v1/logs') ?? '';
  for (const part of ['turnwatch.turn.ended', 'by-attribute', 'deployment.environment.name', 'lab'])
    expect(records).toContain(part);
  await sink.stop();
});

describe('a whole process as one turn', () => {
  it(
    'ends with the process',
    async () => {
      const agent = 'whole';
      const app = run({
        script: 'openai.mjs',
        agent,
        prompts: ['short', 'short'],
        env: {
          TURNWATCH_IMPLICIT_TURNS: 'process',
          TURNWATCH_PARENT_ID: 'boss',
          TURNWATCH_EXPIRES_IN_MS: '600000',
        },
      });
      expect(await app.ended).toEqual(well('all is wellall is well'));
      const turns = await world.turns(agent);
      expect(turns).toMatchObject([
        { outcome: 'completed', chunks: 6, parentId: 'boss', expiresByDefault: false },
      ]);
    },
    patienceMs,
  );

  it(
    'is that of the AI SDK too',
    async () => {
      const agent = 'whole-ai';
      const app = run({
        script: 'ai-sdk.mjs',
        agent,
        prompts: ['short'],
        env: { TURNWATCH_IMPLICIT_TURNS: 'process' },
      });
      expect(await app.ended).toEqual(well('all is well'));
      expect(await world.turns(agent)).toMatchObject([{ outcome: 'completed', chunks: 3 }]);
    },
    patienceMs,
  );
});

describe('an app that is to be left alone', () => {
  it.each([
    ['TURNWATCH_ENABLED', 'off'],
    ['OTEL_SDK_DISABLED', 'true'],
  ])('by %s is, without a word', async (name, value) => {
    const app = run({
      script: 'marks.mjs',
      agent: 'off',
      prompts: [],
      env: { TURNWATCH_ENDPOINT: '', [name]: value },
    });
    expect(await app.ended).toEqual(well('[]\n'));
  });

  it('is told nothing and gets no SDK before it runs', async () => {
    const app = run({
      script: 'marks.mjs',
      agent: 'on',
      prompts: [],
      env: { OTEL_TRACES_EXPORTER: 'otlp' },
    });
    const { stdout, ...rest } = await app.ended;
    expect(rest).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(['turnwatch.stream-observer', 'turnwatch.follows.ai-sdk']);
  });

  it('runs where nobody listens, and hears of it where it asks', async () => {
    const start = { script: 'openai.mjs', agent: 'lost', prompts: ['short'] };
    const env = { TURNWATCH_ENDPOINT: 'http://127.0.0.1:9' };
    expect(await run({ ...start, env }).ended).toEqual(well('all is well'));
    const asked = await run({ ...start, env: { ...env, TURNWATCH_LOG: 'warn', TURNWATCH_ROUTE: 'near' } })
      .ended;
    expect(asked).toMatchObject({ code: 0, stdout: 'all is well' });
    expect(asked.stderr).toContain('TURNWATCH_ROUTE must be one of api, local');
  });

  it('is observed by NODE_OPTIONS too, which do not load anything in our thread', async () => {
    const app = run({
      script: 'openai.mjs',
      agent: 'options',
      prompts: ['short'],
      flags: [],
      env: {
        NODE_OPTIONS: '--import ./thread-print.mjs --import @turnwatch/instrumentation/register',
      },
    });
    expect(await app.ended).toEqual(well('all is well'));
    expect(await world.turns('options')).toMatchObject([{ outcome: 'completed' }]);
  });
});

describe('outside of the repository', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await builtIn(mkdtempSync(join(tmpdir(), 'turnwatch-register-')));
    link('openai', root, folder);
  }, patienceMs);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('an app runs without the API of OpenTelemetry, unobserved', async () => {
    const start = { folder, script: 'openai.mjs', agent: 'bare', prompts: ['short'] };
    const { stderr, ...rest } = await run(start).ended;
    expect(rest).toEqual({ code: 0, stdout: 'all is well' });
    expect(stderr).toMatch(/^turnwatch: this process is not observed: .*@opentelemetry\/api.*\n$/);
    expect(await run({ ...start, env: { TURNWATCH_LOG: 'off' } }).ended).toEqual(well('all is well'));
  });

  it('with the API alone it is observed, and says what spans need', async () => {
    link('@opentelemetry/api', root, folder);
    const app = run({
      folder,
      script: 'openai.mjs',
      agent: 'api-alone',
      prompts: ['short'],
      env: { OTEL_TRACES_EXPORTER: 'otlp', TURNWATCH_LOG: 'warn' },
    });
    const { stdout, stderr } = await app.ended;
    expect(stdout).toBe('all is well');
    expect(stderr.match(/npm install @opentelemetry\/sdk-node/g)).toHaveLength(1);
    expect(await world.turns('api-alone')).toMatchObject([{ outcome: 'completed', chunks: 3 }]);
  });
});
