import {
  Agent,
  addTraceProcessor,
  OpenAIProvider,
  Runner,
  RunState,
  setTraceProcessors,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { configure, setLoggerProvider, TurnExpiredError, withTurn } from '@turnwatch/instrumentation';
import { inOrder, type ProviderOptions, ScriptedProvider } from '@turnwatch/testing/provider';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ProcessorOptions, TurnwatchProcessor, watchModels } from './index.ts';

configure({ everyEvent: true });
const exporter = new InMemoryLogRecordExporter();
setLoggerProvider(new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] }));
// The SDK does not trace under NODE_ENV=test.
setTracingDisabled(false);

let provider: ScriptedProvider | undefined;
beforeEach(() => {
  exporter.reset();
  follow();
});
afterEach(async () => {
  setTraceProcessors([]);
  await provider?.close();
  provider = undefined;
});

function follow(options?: ProcessorOptions): void {
  setTraceProcessors([]);
  addTraceProcessor(new TurnwatchProcessor(options));
}

interface Told {
  readonly name: string;
  readonly turn: string;
  readonly of: Readonly<Record<string, unknown>>;
}

/** What was told of turns, heartbeats left out. */
function told(): Told[] {
  return exporter
    .getFinishedLogRecords()
    .filter(({ eventName }) => !/heartbeat|process/.test(eventName ?? ''))
    .map(({ eventName, attributes }) => ({
      name: eventName?.replace('turnwatch.', '') ?? '',
      turn: String(attributes['turnwatch.turn.id']),
      of: attributes,
    }));
}

/** Without steps and the events of a stream. */
const names = (turn?: string): string[] =>
  told()
    .filter((each) => turn === undefined || each.turn === turn)
    .map(({ name }) => name)
    .filter((name) => !/^stream|step$/.test(name));

function only(name: string): Told {
  const found = told().filter((each) => each.name === name);
  expect(found, name).toHaveLength(1);
  return found[0] as Told;
}

async function until(name: string): Promise<void> {
  while (!names().includes(name)) await new Promise(setImmediate);
}

async function runner(script: ProviderOptions['script'], watch = true): Promise<Runner> {
  provider = await ScriptedProvider.start({ script });
  const models = new OpenAIProvider({ baseURL: `${provider.url}/v1`, apiKey: 'none', useResponses: false });
  return new Runner({ modelProvider: watch ? watchModels(models) : models, model: 'm1' });
}

const callsSearch = [{ do: 'tool', name: 'search', args: { q: 'rain' }, id: 'call_a' }] as const;
const parameters = z.object({ q: z.string() });
const search = (needsApproval = false) =>
  tool({ name: 'search', description: 'finds', parameters, needsApproval, execute: async () => 'sun' });
const forecaster = (needsApproval = false) =>
  new Agent({ name: 'forecaster', tools: [search(needsApproval)] });

const whole = [
  'turn.started',
  'request.started',
  'request.ended',
  'tool.started',
  'tool.ended',
  'request.started',
  'request.ended',
  'turn.ended',
];

describe('a run outside of any turn', () => {
  it('is a turn, with its loop, requests and tools', async () => {
    const it = await runner(inOrder(callsSearch, [{ do: 'text', text: 'it rains' }]));
    await it.run(forecaster(), 'weather?');
    expect(names()).toEqual(whole);
    const steps = told().filter(({ name }) => name === 'agent.step');
    expect(steps).toHaveLength(3);
    expect(only('tool.started').of['gen_ai.tool.name']).toBe('search');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
    expect(JSON.stringify(told())).not.toMatch(/weather|rain|sun/);
  });

  it('shows the content of its streams by kind', async () => {
    const it = await runner(
      inOrder(callsSearch, [
        { do: 'reasoning', text: 'so' },
        { do: 'text', text: 'it rains' },
      ]),
    );
    const result = await it.run(forecaster(), 'x', { stream: true });
    for await (const _ of result);
    await result.completed;
    await until('turn.ended');
    const kinds = told()
      .filter(({ name }) => /chunk$/.test(name))
      .map(({ name, of }) => `${name} ${of['turnwatch.phase']}`);
    expect(kinds).toEqual([
      'request.first_chunk tool_args',
      'stream.chunk tool_args',
      'request.first_chunk reasoning',
      'stream.chunk text',
      'stream.chunk text',
    ]);
    for (const { name, of } of told())
      if (name === 'request.started') expect(of['gen_ai.request.stream']).toBe(true);
  });

  it('has one request a call too where the models are not watched', async () => {
    const it = await runner(inOrder(callsSearch, [{ do: 'text', text: 'it rains' }]), false);
    const result = await it.run(forecaster(), 'x', { stream: true });
    for await (const _ of result);
    await until('turn.ended');
    expect(names()).toEqual(whole);
    for (const { name, of } of told())
      if (name === 'request.started') expect(of['gen_ai.request.stream']).toBe(false);
  });

  it('that is refused ends as failed, though its trace never ends', async () => {
    const it = await runner(() => [{ do: 'refuse', status: 400 }]);
    await expect(it.run(forecaster(), 'x')).rejects.toThrow();
    expect(only('request.ended').of['turnwatch.outcome']).toBe('failed');
    expect(only('turn.ended').of).toMatchObject({ 'turnwatch.outcome': 'failed', 'error.type': 'Error' });
  });

  it('that goes round too often names its error', async () => {
    const it = await runner(() => callsSearch);
    await expect(it.run(forecaster(), 'x', { maxTurns: 2 })).rejects.toThrow();
    expect(only('turn.ended').of['error.type']).toBe('MaxTurnsExceededError');
  });

  it('that breaks in the middle of a stream ends as failed', async () => {
    const it = await runner(() => [{ do: 'text', text: 'half' }, { do: 'drop' }]);
    const read = async (): Promise<void> => {
      const result = await it.run(forecaster(), 'x', { stream: true });
      for await (const _ of result);
      await result.completed;
    };
    await expect(read()).rejects.toThrow();
    await until('turn.ended');
    expect(only('request.ended').of['turnwatch.outcome']).toBe('failed');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('failed');
  });

  it.each([true, false])('that is aborted ends as cancelled (stream: %s)', async (stream) => {
    const it = await runner(() => [{ do: 'stall' }]);
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      if (!stream) return void (await it.run(forecaster(), 'x', { signal: abort.signal }));
      const result = await it.run(forecaster(), 'x', { signal: abort.signal, stream: true });
      for await (const _ of result);
    };
    const running = run().catch(() => undefined);
    await provider?.until(1);
    abort.abort();
    await running;
    await until('turn.ended');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('cancelled');
  });

  it('a tool that fails is a failed call, not a failed turn', async () => {
    const it = await runner(inOrder(callsSearch, [{ do: 'text', text: 'sorry' }]));
    const broken = tool({
      name: 'search',
      description: 'd',
      parameters,
      execute: async ({ q }): Promise<string> => Promise.reject(new Error(q)),
    });
    await it.run(new Agent({ name: 'a', tools: [broken] }), 'x');
    expect(only('tool.ended').of['turnwatch.outcome']).toBe('failed');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
  });

  it('its horizon aborts the model call', async () => {
    follow({ turn: { id: 'own', expiresInMs: 150 } });
    const it = await runner(() => [{ do: 'stall' }]);
    await expect(it.run(forecaster(), 'x')).rejects.toThrow(/passed its horizon/);
    expect(provider?.requests).toHaveLength(1);
  });
});

describe('a call that needs approval', () => {
  const script = () => inOrder(callsSearch, [{ do: 'text', text: 'thanks' }]);
  const resumed = [
    'turn.resumed',
    'tool.started',
    'tool.ended',
    'request.started',
    'request.ended',
    'turn.ended',
  ];

  it('makes the turn wait, and the run resumed from its state goes on with it', async () => {
    const it = await runner(script());
    const agent = forecaster(true);
    const { state } = await it.run(agent, 'x');
    expect(names()).toEqual(['turn.started', 'request.started', 'request.ended', 'turn.waiting']);
    expect(only('turn.waiting').of['turnwatch.waiting.for']).toBe('approval');
    for (const interruption of state.getInterruptions()) state.approve(interruption);
    await it.run(agent, state);
    expect(names().slice(4)).toEqual(resumed);
    expect(new Set(told().map(({ turn }) => turn)).size).toBe(1);
  });

  it('also in a stream, and from a state that was stored', async () => {
    const it = await runner(script());
    const agent = forecaster(true);
    const result = await it.run(agent, 'x', { stream: true });
    for await (const _ of result);
    await until('turn.waiting');
    const state = await RunState.fromString(agent, result.state.toString());
    for (const interruption of state.getInterruptions()) state.approve(interruption);
    await it.run(agent, state);
    expect(
      names()
        .filter((name) => name !== 'request.first_chunk')
        .slice(4),
    ).toEqual(resumed);
    expect(new Set(told().map(({ turn }) => turn)).size).toBe(1);
  });

  it('ends the turn where the process does not stay', async () => {
    follow({ interruptions: 'end' });
    const it = await runner(script());
    await it.run(forecaster(true), 'x');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
  });

  it('makes the turn of the application wait', async () => {
    const it = await runner(script());
    const agent = forecaster(true);
    await withTurn({ id: 'app' }, async () => {
      const { state } = await it.run(agent, 'x');
      expect(names().at(-1)).toBe('turn.waiting');
      for (const interruption of state.getInterruptions()) state.reject(interruption);
      await it.run(agent, state);
    });
    expect(new Set(told().map(({ turn }) => turn))).toEqual(new Set(['app']));
    expect(names().filter((name) => name === 'turn.waiting')).toHaveLength(1);
  });
});

describe('inside of a turn of the application', () => {
  it('runs are part of it, and parallel turns keep apart', async () => {
    const it = await runner(({ body }) =>
      JSON.stringify(body).includes('"role":"tool"') ? [{ do: 'text', text: 'done' }] : callsSearch,
    );
    const run = (id: string): Promise<unknown> => withTurn({ id }, () => it.run(forecaster(), id));
    await Promise.all([run('A'), run('B')]);
    for (const id of ['A', 'B']) expect(names(id)).toEqual(whole);
    expect(names()).toHaveLength(2 * whole.length);
  });

  it('the horizon aborts the run', async () => {
    const it = await runner(() => [{ do: 'stall' }]);
    let running: Promise<unknown> | undefined;
    const late = withTurn({ expiresInMs: 150 }, ({ signal }) => {
      running = it.run(forecaster(), 'x', { signal });
      return running;
    });
    await expect(late).rejects.toBeInstanceOf(TurnExpiredError);
    await expect(running).rejects.toThrow();
  });

  it('with an observer under the client no requests are opened', async () => {
    follow({ requests: 'observer' });
    const it = await runner(inOrder(callsSearch, [{ do: 'text', text: 'done' }]));
    await withTurn({}, () => it.run(forecaster(), 'x'));
    expect(names()).toEqual(['turn.started', 'tool.started', 'tool.ended', 'turn.ended']);
  });
});

it('a handoff is a step of the turn, not the end of it', async () => {
  const it = await runner(({ body }) =>
    JSON.stringify(body).includes('"role":"tool"')
      ? [{ do: 'text', text: 'done' }]
      : [{ do: 'tool', name: 'transfer_to_two' }],
  );
  const two = new Agent({ name: 'two' });
  await it.run(new Agent({ name: 'one', handoffs: [two] }), 'x');
  expect(names()).toEqual([
    'turn.started',
    'request.started',
    'request.ended',
    'request.started',
    'request.ended',
    'turn.ended',
  ]);
});

it('an agent run as a tool is a child turn that answers for the call', async () => {
  const it = await runner(({ prompt, body }) => {
    if (prompt === 'sub') return [{ do: 'text', text: 'found' }];
    return JSON.stringify(body).includes('"role":"tool"')
      ? [{ do: 'text', text: 'done' }]
      : [{ do: 'tool', name: 'scout', args: { input: 'sub' } }];
  });
  const scout = new Agent({ name: 'scout' }).asTool({
    toolName: 'scout',
    toolDescription: 'finds',
    runConfig: { modelProvider: it.config.modelProvider, model: 'm1' },
  });
  await it.run(new Agent({ name: 'boss', tools: [scout] }), 'main');
  const [parent, child] = told().filter(({ name }) => name === 'turn.started');
  expect(child?.of).toMatchObject({
    'gen_ai.agent.name': 'scout',
    'turnwatch.turn.parent_id': parent?.turn,
    'turnwatch.turn.parent_call_id': only('tool.started').of['gen_ai.tool.call.id'],
  });
  expect(names(child?.turn)).toEqual(['turn.started', 'request.started', 'request.ended', 'turn.ended']);
  expect(names(parent?.turn)).toEqual(whole);
});
