import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import {
  configure,
  currentTurn,
  setLoggerProvider,
  TurnExpiredError,
  withTurn,
} from '@turnwatch/instrumentation';
import { inOrder, type ProviderOptions, ScriptedProvider } from '@turnwatch/testing/provider';
import {
  generateText,
  type LanguageModel,
  simulateReadableStream,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type FollowOptions, followAiSdk, turnwatchMiddleware } from './index.ts';

configure({ everyEvent: true });
const exporter = new InMemoryLogRecordExporter();
setLoggerProvider(new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] }));

let provider: ScriptedProvider | undefined;
let stop: () => void = () => undefined;
beforeEach(() => exporter.reset());
afterEach(async () => {
  stop();
  stop = () => undefined;
  await provider?.close();
  provider = undefined;
});

type StreamResult = Awaited<ReturnType<MockLanguageModelV4['doStream']>>;
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;

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

const names = (turn?: string): string[] =>
  told()
    .filter((each) => turn === undefined || each.turn === turn)
    .map(({ name }) => name);

function only(name: string): Told {
  const found = told().filter((each) => each.name === name);
  expect(found, name).toHaveLength(1);
  return found[0] as Told;
}

async function model(script: ProviderOptions['script'], watch = true): Promise<LanguageModel> {
  provider = await ScriptedProvider.start({ script });
  const plain = createOpenAICompatible({ name: 'scripted', baseURL: `${provider.url}/v1`, apiKey: 'none' })(
    'm1',
  );
  return watch ? wrapLanguageModel({ model: plain, middleware: turnwatchMiddleware() }) : plain;
}

function follow(options?: FollowOptions): void {
  stop = followAiSdk(options);
}

async function read(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

/** Waits for a record by letting real I/O go on. */
async function until(name: string, count = 1, turn?: string): Promise<void> {
  while (names(turn).filter((each) => each === name).length < count) await new Promise(setImmediate);
}

const search = tool({
  inputSchema: z.object({ q: z.string() }),
  execute: async ({ q }) => {
    const id = currentTurn()?.id;
    // The SDK starts a tool as soon as its call is there, before or after the last bytes of the stream.
    await until('request.ended', 1, id);
    return `${q} in turn ${id}`;
  },
});
const callsSearch = [{ do: 'tool', name: 'search', args: { q: 'rain' }, id: 'call_a' }] as const;

describe('a streamText call outside of any turn', () => {
  it('is a turn, with its requests, content, steps and tools', async () => {
    follow();
    const scripted = await model(
      inOrder(callsSearch, [
        { do: 'reasoning', text: 'so so' },
        { do: 'text', text: 'it rains today' },
      ]),
    );
    const result = streamText({
      model: scripted,
      prompt: 'weather?',
      tools: { search },
      stopWhen: stepCountIs(3),
      telemetry: { functionId: 'forecaster' },
    });
    expect(await read(result.textStream)).toBe('it rains today');
    await until('turn.ended');
    expect(names().filter((name) => !/^stream|^tool.started/.test(name))).toEqual([
      'turn.started',
      'agent.step',
      'request.started',
      'request.first_chunk',
      'request.ended',
      'tool.ended',
      'agent.step',
      'request.started',
      'request.first_chunk',
      'request.ended',
      'turn.ended',
    ]);
    const start = only('turn.started');
    expect(start.of).toMatchObject({
      'gen_ai.agent.name': 'forecaster',
      'gen_ai.provider.name': 'scripted.chat',
      'gen_ai.request.model': 'm1',
    });
    expect(new Set(told().map(({ turn }) => turn)).size).toBe(1);
    expect(
      told()
        .filter(({ name }) => name === 'request.first_chunk')
        .map(({ of }) => of['turnwatch.phase']),
    ).toEqual(['tool_args', 'reasoning']);
    expect(only('tool.started').of).toMatchObject({
      'gen_ai.tool.call.id': 'call_a',
      'gen_ai.tool.name': 'search',
    });
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
    // Neither prompts nor answers nor arguments leave the process.
    expect(JSON.stringify(told())).not.toMatch(/weather|rain/);
    const [toolResult] = (await result.steps)[0]?.toolResults ?? [];
    expect(toolResult?.output).toBe(`rain in turn ${start.turn}`);
  });

  it('counts each chunk by its kind', async () => {
    follow();
    const result = streamText({
      model: await model(() => [
        { do: 'reasoning', text: 'a b c' },
        { do: 'text', text: 'd e' },
      ]),
      prompt: 'x',
    });
    await read(result.textStream);
    await until('turn.ended');
    const kinds = told()
      .filter(({ name }) => /chunk$/.test(name))
      .map(({ of }) => of['turnwatch.phase']);
    expect(kinds).toEqual(['reasoning', 'reasoning', 'reasoning', 'text', 'text']);
    expect(only('request.started').of['gen_ai.request.stream']).toBe(true);
  });

  it('ends as failed when the connection breaks, of which the channel says nothing', async () => {
    follow();
    const result = streamText({
      model: await model(() => [{ do: 'text', text: 'half' }, { do: 'drop' }]),
      prompt: 'x',
      onError: () => undefined,
    });
    await read(result.textStream).catch(() => undefined);
    await until('turn.ended');
    expect(only('request.ended').of['turnwatch.outcome']).toBe('failed');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('failed');
  });

  it('goes on where the SDK retries a stream that told an error', async () => {
    follow();
    const text = { type: 'text-delta', id: '1', delta: 'a' } as const;
    const finish = {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
    } as const;
    const streams: StreamPart[][] = [
      [{ type: 'text-start', id: '1' }, text, { type: 'error', error: new Error('overloaded') }],
      [{ type: 'text-start', id: '1' }, text, { type: 'text-end', id: '1' }, finish],
    ];
    const faulty = new MockLanguageModelV4({
      doStream: async () => ({ stream: simulateReadableStream({ chunks: streams.shift() ?? [] }) }),
    });
    const result = streamText({
      model: wrapLanguageModel({ model: faulty, middleware: turnwatchMiddleware() }),
      prompt: 'x',
      streamRetries: 1,
      onError: () => undefined,
    });
    await read(result.textStream);
    await until('turn.ended');
    expect(names().filter((name) => !/^stream|first_chunk/.test(name))).toEqual([
      'turn.started',
      'agent.step',
      'request.started',
      'request.ended',
      'request.started',
      'request.ended',
      'turn.ended',
    ]);
    const outcomes = told()
      .map(({ of }) => of['turnwatch.outcome'])
      .filter((outcome) => outcome !== undefined);
    expect(outcomes).toEqual(['failed', 'completed', 'completed']);
  });

  it('ends as cancelled when its caller aborts', async () => {
    follow();
    const abort = new AbortController();
    const result = streamText({
      model: await model(() => [{ do: 'stall' }]),
      prompt: 'x',
      abortSignal: abort.signal,
    });
    const reading = read(result.textStream);
    await provider?.until(1);
    abort.abort();
    await reading;
    await until('turn.ended');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('cancelled');
  });
});

describe('a model call that fails', () => {
  it('waits for the retry of the SDK, then goes on', async () => {
    follow();
    const refused = [{ do: 'refuse', status: 503 }] as const;
    const { text } = await generateText({
      model: await model(inOrder(refused, [{ do: 'text', text: 'well' }])),
      prompt: 'x',
      maxRetries: 1,
    });
    expect(text).toBe('well');
    const ends = told().filter(({ name }) => name === 'request.ended');
    expect(ends.map(({ of }) => [of['turnwatch.outcome'], of['turnwatch.retryable']])).toEqual([
      ['failed', true],
      ['completed', undefined],
    ]);
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
  });

  it('is told as final where the SDK gives up', async () => {
    follow();
    const failing = generateText({
      model: await model(() => [{ do: 'refuse', status: 503 }]),
      prompt: 'x',
      maxRetries: 0,
    });
    await expect(failing).rejects.toThrow();
    expect(only('request.ended').of['turnwatch.retryable']).toBe(false);
    expect(only('turn.ended').of).toMatchObject({ 'turnwatch.outcome': 'failed' });
  });

  it('does not make a failing tool a failing turn', async () => {
    follow();
    const broken = tool({
      inputSchema: z.object({ q: z.string() }),
      execute: async ({ q }): Promise<string> => Promise.reject(new Error(q)),
    });
    await generateText({
      model: await model(inOrder(callsSearch, [{ do: 'text', text: 'sorry' }])),
      prompt: 'x',
      tools: { search: broken },
      stopWhen: stepCountIs(2),
    });
    expect(only('tool.ended').of['turnwatch.outcome']).toBe('failed');
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('completed');
  });
});

describe('inside of a turn of the application', () => {
  it('calls are its requests and tools, and parallel turns keep apart', async () => {
    follow();
    const scripted = await model(({ body }) =>
      JSON.stringify(body).includes('"role":"tool"') ? [{ do: 'text', text: 'done' }] : callsSearch,
    );
    const run = (id: string): Promise<unknown> =>
      withTurn({ id }, async () => {
        const result = streamText({
          model: scripted,
          prompt: id,
          tools: { search },
          stopWhen: stepCountIs(2),
        });
        await read(result.textStream);
        return (await result.steps)[0]?.toolResults[0]?.output;
      });
    expect(await Promise.all([run('A'), run('B')])).toEqual(['rain in turn A', 'rain in turn B']);
    await until('turn.ended', 2);
    for (const id of ['A', 'B'])
      expect(names(id).filter((name) => /^(turn|request|tool.ended)/.test(name))).toEqual([
        'turn.started',
        'request.started',
        'request.first_chunk',
        'request.ended',
        'tool.ended',
        'request.started',
        'request.first_chunk',
        'request.ended',
        'turn.ended',
      ]);
    expect(told()).toHaveLength(names('A').length + names('B').length);
  });

  it('a reader that leaves the stream cancels its request', async () => {
    const scripted = await model(() => [{ do: 'text', text: 'half' }, { do: 'stall' }]);
    if (typeof scripted === 'string' || scripted.specificationVersion !== 'v4')
      throw new Error('no v4 model');
    await withTurn({}, async () => {
      const { stream } = await scripted.doStream({
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
      });
      for await (const part of stream) if (part.type === 'text-delta') break;
      expect(only('request.ended').of['turnwatch.outcome']).toBe('cancelled');
    });
  });

  it('the horizon aborts the model call, also without the signal being handed in', async () => {
    follow();
    const scripted = await model(() => [{ do: 'text', text: 'half' }, { do: 'stall' }]);
    const late = withTurn({ id: 'H', expiresInMs: 150 }, () =>
      generateText({ model: scripted, prompt: 'x', maxRetries: 3 }),
    );
    await expect(late).rejects.toBeInstanceOf(TurnExpiredError);
    expect(provider?.requests).toHaveLength(1);
  });

  it('the horizon of a call that is a turn aborts it', async () => {
    follow({ turn: () => ({ id: 'own', expiresInMs: 150 }) });
    const late = generateText({ model: await model(() => [{ do: 'stall' }]), prompt: 'x' });
    await expect(late).rejects.toThrow(/passed its horizon/);
    expect(provider?.requests).toHaveLength(1);
  });
});

it('a call made by a tool is a child turn that answers for the tool call', async () => {
  follow();
  const scripted = await model(({ prompt, body }) => {
    if (prompt === 'sub') return [{ do: 'text', text: 'found' }];
    return JSON.stringify(body).includes('"role":"tool"') ? [{ do: 'text', text: 'done' }] : callsSearch;
  });
  const delegate = tool({
    inputSchema: z.object({ q: z.string() }),
    execute: async () =>
      (await generateText({ model: scripted, prompt: 'sub', telemetry: { functionId: 'scout' } })).text,
  });
  await generateText({
    model: scripted,
    prompt: 'main',
    tools: { search: delegate },
    stopWhen: stepCountIs(2),
    telemetry: { functionId: 'boss' },
  });
  const [parent, child] = told().filter(({ name }) => name === 'turn.started');
  expect(parent?.of['gen_ai.agent.name']).toBe('boss');
  expect(child?.of).toMatchObject({
    'gen_ai.agent.name': 'scout',
    'turnwatch.turn.parent_id': parent?.turn,
    'turnwatch.turn.parent_call_id': 'call_a',
  });
  expect(names(child?.turn).filter((name) => name.startsWith('request'))).toEqual(
    ['request.started', 'request.first_chunk', 'request.ended'].filter(
      (name) => name !== 'request.first_chunk',
    ),
  );
});

describe('without the middleware', () => {
  it('a stream is a request whose content nobody sees: judged like one that does not stream', async () => {
    follow();
    const result = streamText({
      model: await model(inOrder(callsSearch, [{ do: 'text', text: 'fine' }]), false),
      prompt: 'x',
      tools: { search },
      stopWhen: stepCountIs(2),
    });
    await read(result.textStream);
    await until('turn.ended');
    expect(names().filter((name) => /^(request|tool)/.test(name))).toEqual([
      'request.started',
      // A request left open would be judged beside the tool.
      'request.ended',
      'tool.started',
      'tool.ended',
      'request.started',
      'request.ended',
    ]);
    for (const { name, of } of told())
      if (name === 'request.started') expect(of['gen_ai.request.stream']).toBe(false);
  });
});

describe('with an observer under the client', () => {
  it('opens no requests of its own', async () => {
    follow({ requests: 'observer' });
    provider = await ScriptedProvider.start({ script: () => [{ do: 'text', text: 'fine' }] });
    const seen: (string | undefined)[] = [];
    const observed: typeof fetch = (input, init) => {
      seen.push(currentTurn()?.id);
      return fetch(input, init);
    };
    const plain = createOpenAICompatible({
      name: 's',
      baseURL: `${provider.url}/v1`,
      apiKey: 'n',
      fetch: observed,
    })('m');
    const watched = wrapLanguageModel({
      model: plain,
      middleware: turnwatchMiddleware({ requests: 'observer' }),
    });
    await generateText({ model: watched, prompt: 'x' });
    expect(names()).toEqual(['turn.started', 'agent.step', 'turn.ended']);
    // What an observer needs: the turn is the current one where the bytes come in.
    expect(seen).toEqual([only('turn.started').turn]);
  });

  it('a process-wide one is found by its mark', async () => {
    const mark = Symbol.for('turnwatch.stream-observer');
    Reflect.set(globalThis, mark, true);
    try {
      follow();
      await generateText({ model: await model(() => [{ do: 'text', text: 'fine' }]), prompt: 'x' });
      expect(names()).toEqual(['turn.started', 'agent.step', 'turn.ended']);
    } finally {
      Reflect.deleteProperty(globalThis, mark);
    }
  });
});

describe('followAiSdk', () => {
  it('counts nothing twice when it is called twice', async () => {
    follow();
    followAiSdk()();
    await generateText({ model: await model(() => [{ do: 'text', text: 'fine' }]), prompt: 'x' });
    expect(names().filter((name) => name === 'turn.started')).toHaveLength(1);
  });

  it('once stopped ends what is under way as unknown, and follows no more', async () => {
    follow();
    const abort = new AbortController();
    const scripted = await model(() => [{ do: 'stall' }]);
    const running = generateText({ model: scripted, prompt: 'x', abortSignal: abort.signal });
    await provider?.until(1);
    stop();
    expect(only('turn.ended').of['turnwatch.outcome']).toBe('unknown');
    exporter.reset();
    const later = generateText({ model: scripted, prompt: 'y', abortSignal: abort.signal });
    await provider?.until(2);
    abort.abort();
    await Promise.allSettled([running, later]);
    expect(names()).toEqual([]);
  });

  it('leaves the SDK alone where a callback of its own throws', async () => {
    follow({
      turn: () => {
        throw new Error('bad options');
      },
    });
    const { text } = await generateText({
      model: await model(() => [{ do: 'text', text: 'fine' }]),
      prompt: 'x',
    });
    expect(text).toBe('fine');
  });
});
