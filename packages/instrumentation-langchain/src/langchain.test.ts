import { tool } from '@langchain/core/tools';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { configure, setLoggerProvider, TurnExpiredError, withTurn } from '@turnwatch/instrumentation';
import { BoundedMap } from '@turnwatch/instrumentation/framework';
import { inOrder, type ProviderOptions, ScriptedProvider } from '@turnwatch/testing/provider';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TurnwatchCallbackHandler } from './index.ts';

configure({ everyEvent: true });
const exporter = new InMemoryLogRecordExporter();
setLoggerProvider(new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] }));

let provider: ScriptedProvider | undefined;
let handler: TurnwatchCallbackHandler;
beforeEach(() => {
  exporter.reset();
  handler = new TurnwatchCallbackHandler();
});
afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

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

async function until(name: string, count = 1): Promise<void> {
  while (names().filter((each) => each === name).length < count) await new Promise(setImmediate);
}

async function chat(script: ProviderOptions['script']): Promise<ChatOpenAI> {
  provider = await ScriptedProvider.start({ script });
  return new ChatOpenAI({
    model: 'm1',
    apiKey: 'none',
    maxRetries: 0,
    configuration: { baseURL: `${provider.url}/v1` },
  });
}

const callsSearch = [{ do: 'tool', name: 'search', args: { q: 'rain' }, id: 'call_a' }] as const;
const hello = { messages: [{ role: 'user', content: 'weather?' }] };
const schema = z.object({ q: z.string() });
const search = tool(async () => 'sun', { name: 'search', description: 'finds', schema });

describe('a LangGraph agent outside of any turn', () => {
  it('is a turn, with its nodes, requests and tools', async () => {
    const llm = await chat(inOrder(callsSearch, [{ do: 'text', text: 'it rains' }]));
    const agent = createReactAgent({ llm, tools: [search], name: 'forecaster' });
    await agent.invoke(hello, { callbacks: [handler] });
    expect(names()).toEqual([
      'turn.started',
      'request.started',
      'request.ended',
      'tool.started',
      'tool.ended',
      'request.started',
      'request.ended',
      'turn.ended',
    ]);
    expect(only('turn.started').of['gen_ai.agent.name']).toBe('forecaster');
    expect(told().filter(({ name }) => name === 'agent.step')).toHaveLength(3);
    expect(only('tool.started').of).toMatchObject({
      'gen_ai.tool.call.id': 'call_a',
      'gen_ai.tool.name': 'search',
    });
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
    // Nothing said beforehand that the requests stream: they are judged as those that do not.
    for (const { name, of } of told())
      if (name === 'request.started') expect(of['gen_ai.request.stream']).toBe(false);
    expect(handler.openRuns).toBe(0);
    expect(JSON.stringify(told())).not.toMatch(/weather|rain|sun/);
  });

  it('shows content live under invoke where streaming is preferred', async () => {
    handler = new TurnwatchCallbackHandler({ preferStreaming: true });
    const llm = await chat(
      inOrder(callsSearch, [
        { do: 'reasoning', text: 'so' },
        { do: 'text', text: 'it rains' },
      ]),
    );
    await createReactAgent({ llm, tools: [search] }).invoke(hello, { callbacks: [handler] });
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
    // The first chunk has only the role.
    expect(told().some(({ name }) => name === 'stream.keepalive')).toBe(true);
  });

  it('ends as cancelled when the reader leaves its stream, of which the graph says nothing', async () => {
    const llm = await chat(() => [{ do: 'text', text: 'a b' }, { do: 'stall' }]);
    const agent = createReactAgent({ llm, tools: [search] });
    for await (const _ of await agent.stream(hello, { callbacks: [handler], streamMode: 'messages' })) break;
    await until('turn.ended');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('cancelled');
  });

  it('ends as cancelled when its caller aborts', async () => {
    const llm = await chat(() => [{ do: 'stall' }]);
    const abort = new AbortController();
    const agent = createReactAgent({ llm, tools: [search] });
    const running = agent.invoke(hello, { callbacks: [handler], signal: abort.signal });
    await provider?.until(1);
    abort.abort();
    await expect(running).rejects.toThrow();
    await until('turn.ended');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('cancelled');
  });

  it('a tool that fails is a failed call, not a failed turn', async () => {
    const broken = tool(async () => Promise.reject(new Error('x')), {
      name: 'search',
      description: 'd',
      schema,
    });
    const llm = await chat(inOrder(callsSearch, [{ do: 'text', text: 'sorry' }]));
    await createReactAgent({ llm, tools: [broken] }).invoke(hello, { callbacks: [handler] });
    expect(only('tool.ended').of['turnwatch.outcome']).toBe('failed');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
  });
});

describe('an interrupt', () => {
  async function asking(): Promise<ReturnType<typeof createReactAgent>> {
    const ask = tool(async () => `got ${interrupt('may I?')}`, { name: 'search', description: 'd', schema });
    const llm = await chat(inOrder(callsSearch, [{ do: 'text', text: 'thanks' }]));
    return createReactAgent({ llm, tools: [ask], checkpointer: new MemorySaver() });
  }
  const config = (): object => ({ callbacks: [handler], configurable: { thread_id: 't1' } });

  it('is a wait for input, and the resumed run goes on with the turn', async () => {
    const agent = await asking();
    await agent.invoke(hello, config());
    expect(names().slice(-2)).toEqual(['tool.ended', 'turn.waiting']);
    expect(only('turn.waiting').of['turnwatch.waiting.for']).toBe('input');
    await agent.invoke(new Command({ resume: 'yes' }), config());
    expect(names().slice(6)).toEqual([
      'turn.resumed',
      'tool.started',
      'tool.ended',
      'request.started',
      'request.ended',
      'turn.ended',
    ]);
    expect(new Set(told().map(({ turn }) => turn)).size).toBe(1);
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
    expect(only('turn.started').of['gen_ai.conversation.id']).toBe('t1');
  });

  it('is the end of the turn where the process does not stay', async () => {
    handler = new TurnwatchCallbackHandler({ interrupts: 'end' });
    const agent = await asking();
    await agent.invoke(hello, config());
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
    await agent.invoke(new Command({ resume: 'yes' }), config());
    expect(new Set(told().map(({ turn }) => turn)).size).toBe(2);
  });

  it('makes the turn of the application wait', async () => {
    const agent = await asking();
    await withTurn({ id: 'app' }, async () => {
      await agent.invoke(hello, config());
      expect(names().at(-1)).toBe('turn.waiting');
      await agent.invoke(new Command({ resume: 'yes' }), config());
    });
    expect(new Set(told().map(({ turn }) => turn))).toEqual(new Set(['app']));
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
  });
});

describe('inside of a turn of the application', () => {
  it('runs are part of it, and parallel turns keep apart under one handler', async () => {
    const llm = await chat(({ body }) =>
      JSON.stringify(body).includes('"role":"tool"') ? [{ do: 'text', text: 'done' }] : callsSearch,
    );
    const agent = createReactAgent({ llm, tools: [search] });
    const run = (id: string): Promise<unknown> =>
      withTurn({ id }, () => agent.invoke(hello, { callbacks: [handler] }));
    await Promise.all([run('A'), run('B')]);
    for (const id of ['A', 'B'])
      expect(names(id)).toEqual([
        'turn.started',
        'request.started',
        'request.ended',
        'tool.started',
        'tool.ended',
        'request.started',
        'request.ended',
        'turn.ended',
      ]);
    expect(names()).toHaveLength(16);
  });

  it('the horizon aborts the run by the signal of the turn', async () => {
    const llm = await chat(() => [{ do: 'stall' }]);
    const agent = createReactAgent({ llm, tools: [search] });
    let running: Promise<unknown> | undefined;
    const late = withTurn({ expiresInMs: 150 }, ({ signal }) => {
      running = agent.invoke(hello, { callbacks: [handler], signal });
      return running;
    });
    await expect(late).rejects.toBeInstanceOf(TurnExpiredError);
    await expect(running).rejects.toThrow();
  });

  it('with an observer under the client no requests are opened', async () => {
    handler = new TurnwatchCallbackHandler({ requests: 'observer' });
    const llm = await chat(inOrder(callsSearch, [{ do: 'text', text: 'done' }]));
    const agent = createReactAgent({ llm, tools: [search] });
    await withTurn({}, () => agent.invoke(hello, { callbacks: [handler] }));
    expect(names()).toEqual(['turn.started', 'tool.started', 'tool.ended', 'turn.ended']);
    exporter.reset();
    // No turn that it could find: the handler is the only one to see the request.
    await agent.invoke(hello, { callbacks: [handler] });
    expect(names()).toEqual(['turn.started', 'request.started', 'request.ended', 'turn.ended']);
  });
});

describe('a model on its own', () => {
  it('is a turn with one request', async () => {
    const llm = await chat(() => [{ do: 'text', text: 'a b' }]);
    for await (const _ of await llm.stream('hi', { callbacks: [handler] }));
    expect(names()).toEqual([
      'turn.started',
      'request.started',
      'request.first_chunk',
      'request.ended',
      'turn.ended',
    ]);
    expect(only('turn.started').of).toMatchObject({
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'm1',
    });
  });

  it('that is refused fails its request and turn', async () => {
    const llm = await chat(() => [{ do: 'refuse', status: 500 }]);
    await expect(llm.invoke('hi', { callbacks: [handler] })).rejects.toThrow();
    expect(only('request.ended').of['turnwatch.outcome']).toBe('failed');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('failed');
  });

  it('that breaks in the middle fails too', async () => {
    const llm = await chat(() => [{ do: 'text', text: 'a' }, { do: 'drop' }]);
    const read = async (): Promise<void> => {
      for await (const _ of await llm.stream('hi', { callbacks: [handler] }));
    };
    await expect(read()).rejects.toThrow();
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('failed');
  });

  it('that is retried has a request an attempt', async () => {
    const llm = await chat(inOrder([{ do: 'refuse', status: 500 }], [{ do: 'text', text: 'well' }]));
    await llm.withRetry({ stopAfterAttempt: 2 }).invoke('hi', { callbacks: [handler] });
    const outcomes = told()
      .filter(({ name }) => name === 'request.ended')
      .map(({ of }) => of['turnwatch.outcome']);
    expect(outcomes).toEqual(['failed', 'completed']);
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
  });
});

it('an agent run by a tool is a child turn that answers for the call', async () => {
  const llm = await chat(({ prompt, body }) => {
    if (prompt === 'sub') return [{ do: 'text', text: 'found' }];
    return JSON.stringify(body).includes('"role":"tool"') ? [{ do: 'text', text: 'done' }] : callsSearch;
  });
  const scout = createReactAgent({ llm, tools: [search], name: 'scout' });
  const delegate = tool(
    async () => {
      await scout.invoke({ messages: [{ role: 'user', content: 'sub' }] });
      return 'found';
    },
    { name: 'search', description: 'd', schema },
  );
  await createReactAgent({ llm, tools: [delegate], name: 'boss' }).invoke(hello, { callbacks: [handler] });
  const [parent, child] = told().filter(({ name }) => name === 'turn.started');
  expect(child?.of).toMatchObject({
    'gen_ai.agent.name': 'scout',
    'turnwatch.turn.parent_id': parent?.turn,
    'turnwatch.turn.parent_call_id': 'call_a',
  });
  expect(names(child?.turn)).toEqual(['turn.started', 'request.started', 'request.ended', 'turn.ended']);
  expect(handler.openRuns).toBe(0);
});

it('runs that never end do not fill the memory', () => {
  const forgotten: number[] = [];
  const map = new BoundedMap<string, number>(2, (value) => forgotten.push(value));
  for (const value of [1, 2, 3]) map.set(`k${value}`, value);
  expect([map.size, forgotten, map.get('k1'), map.take('k2'), map.size]).toEqual([2, [1], undefined, 2, 1]);
});
