import * as api from '@opentelemetry/api';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedTurns } from '../../fixtures/scripted-turns.ts';
import { seconds, Telemetry } from '../../fixtures/telemetry.ts';
import { TurnExpiredError } from '../errors.ts';
import type { Turn } from '../turn.ts';

let telemetry: Telemetry;
let turns: ScriptedTurns;

beforeEach(() => {
  telemetry = new Telemetry().registerTracer();
  turns = new ScriptedTurns();
});
afterEach(() => telemetry.shutdown());

const names = (): string[] => telemetry.spans.map(({ name }) => name);

function work(turn: Turn): void {
  const request = turn.request({ id: 'r1' });
  turns.pass(1500);
  request.chunk('reasoning');
  turns.pass(3000);
  request.chunk('text');
  request.end({ usage: { inputTokens: 900, outputTokens: 40, cachedTokens: 600 } });
  const call = turn.tool({ id: 'c1', name: 'bash' });
  turns.pass(250);
  call.end();
}

describe('the spans of a turn', () => {
  it('have the names, kinds, times and attributes of the GenAI conventions', () => {
    const turn = turns.start({
      id: 'A',
      agent: 'worker',
      provider: 'openai',
      model: 'gpt-5',
      conversationId: 'conv',
    });
    work(turn);
    turn.end();
    expect(names()).toEqual(['chat gpt-5', 'execute_tool bash', 'invoke_agent worker']);
    const chat = telemetry.span('chat gpt-5');
    expect(chat.kind).toBe(api.SpanKind.CLIENT);
    expect(chat.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.request.stream': true,
      'gen_ai.conversation.id': 'conv',
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 40,
      'gen_ai.usage.cache_read.input_tokens': 600,
      'gen_ai.response.time_to_first_chunk': 1.5,
      'turnwatch.turn.id': 'A',
      'turnwatch.request.id': 'r1',
      'turnwatch.outcome': 'completed',
    });
    expect(seconds(chat.startTime)).toBe(turns.startWallMs / 1000);
    expect(seconds(chat.duration)).toBe(4.5);
    const tool = telemetry.span('execute_tool bash');
    expect(tool.kind).toBe(api.SpanKind.INTERNAL);
    expect(tool.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'bash',
      'gen_ai.tool.call.id': 'c1',
      'turnwatch.turn.id': 'A',
      'turnwatch.outcome': 'completed',
    });
    expect(seconds(tool.duration)).toBeCloseTo(0.25, 9);
    const agent = telemetry.span('invoke_agent worker');
    expect(agent.kind).toBe(api.SpanKind.INTERNAL);
    expect(agent.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'worker',
      'gen_ai.conversation.id': 'conv',
      'turnwatch.turn.id': 'A',
      'turnwatch.turn.attempt': 1,
      'turnwatch.gap.largest_ms': 3000,
      'turnwatch.gap.phase': 'reasoning',
      'turnwatch.outcome': 'completed',
    });
    for (const span of telemetry.spans) {
      expect(span.events).toEqual([]);
      expect(span.spanContext().traceId).toBe(turn.trace.traceId);
    }
    for (const child of [chat, tool])
      expect(child.parentSpanContext?.spanId).toBe(agent.spanContext().spanId);
  });

  it('are the trace of its live records', () => {
    const turn = turns.start({ id: 'A' });
    turn.end();
    const { traceId, spanId } = telemetry.span('invoke_agent').spanContext();
    expect(turn.trace).toMatchObject({ traceId, spanId, sampled: true });
    const started = turns.emitted.find(({ eventName }) => eventName === 'turnwatch.turn.started');
    expect(started?.attributes['turnwatch.turn.trace_id']).toBe(traceId);
  });

  it('carry the class of an error, never its text', async () => {
    const error = Object.assign(new Error('the prompt was: secret'), { code: 'ECONNRESET' });
    const turn = turns.start({ agent: 'worker' });
    await expect(turn.run(() => turn.withRequest({ model: 'm1' }, () => Promise.reject(error)))).rejects.toBe(
      error,
    );
    for (const span of telemetry.spans) {
      expect(span.attributes).toMatchObject({ 'turnwatch.outcome': 'failed', 'error.type': 'ECONNRESET' });
      expect(span.status).toEqual({ code: api.SpanStatusCode.ERROR });
    }
    expect(names()).toEqual(['chat m1', 'invoke_agent worker']);
    expect(
      JSON.stringify(telemetry.spans.map(({ attributes, events }) => [attributes, events])),
    ).not.toContain('secret');
  });

  it('end once, also what the turn left open', () => {
    const turn = turns.start();
    const request = turn.request();
    const call = turn.tool({ name: 'bash' });
    turn.end();
    request.end();
    call.end();
    turn.end();
    expect(names()).toEqual(['chat', 'execute_tool bash', 'invoke_agent']);
    expect(telemetry.spans.map(({ attributes }) => attributes['turnwatch.outcome'])).toEqual([
      'unknown',
      'unknown',
      'completed',
    ]);
  });

  it('end at the horizon as expired, and not again when the work settles late (004)', async () => {
    const turn = turns.start({ agent: 'worker', expiresInMs: 5000 });
    let settle: () => void = () => undefined;
    const run = turn.run(() =>
      turn.withToolCall({ name: 'bash' }, () => new Promise<void>((it) => (settle = it))),
    );
    turns.pass(5000);
    await expect(run).rejects.toThrow(TurnExpiredError);
    expect(names()).toEqual(['execute_tool bash', 'invoke_agent worker']);
    for (const span of telemetry.spans) {
      expect(span.status).toEqual({ code: api.SpanStatusCode.ERROR, message: 'expired' });
      expect(span.attributes).toMatchObject({ 'turnwatch.outcome': 'expired', 'error.type': 'expired' });
      expect(seconds(span.duration)).toBe(5);
    }
    settle();
    await new Promise(setImmediate);
    expect(turns.runtime.counters.lateSettlements).toBe(1);
    expect(telemetry.spans).toHaveLength(2);
  });

  it("end at a request's own horizon, and the turn goes on", async () => {
    const turn = turns.start({ agent: 'worker' });
    let settle: () => void = () => undefined;
    const run = turn.withRequest(
      { model: 'm1', expiresInMs: 2000 },
      () => new Promise<void>((it) => (settle = it)),
    );
    turns.pass(2000);
    await expect(run).rejects.toThrow(TurnExpiredError);
    expect(telemetry.span('chat m1').attributes['turnwatch.outcome']).toBe('expired');
    settle();
    await new Promise(setImmediate);
    turn.end();
    expect(names()).toEqual(['chat m1', 'invoke_agent worker']);
    expect(telemetry.span('invoke_agent worker').attributes['turnwatch.outcome']).toBe('completed');
  });

  it('end as unknown when a newer attempt takes the place of the turn', () => {
    const first = turns.start({ id: 'A', agent: 'one' });
    const second = turns.start({ id: 'A', attempt: 2, agent: 'two' });
    first.end();
    second.end();
    expect(telemetry.span('invoke_agent one').attributes).toMatchObject({
      'turnwatch.turn.attempt': 1,
      'turnwatch.outcome': 'unknown',
    });
    expect(telemetry.span('invoke_agent two').attributes).toMatchObject({
      'turnwatch.turn.attempt': 2,
      'turnwatch.outcome': 'completed',
    });
  });

  it('end when the process says that it exits', () => {
    turns.start({ agent: 'worker' }).request({ model: 'm1' });
    turns.runtime.producer.exiting();
    expect(names()).toEqual(['chat m1', 'invoke_agent worker']);
    expect(telemetry.span('invoke_agent worker').attributes).toMatchObject({
      'turnwatch.outcome': 'unknown',
      'error.type': 'process_exited',
    });
  });

  it('tell of a turn that was refused', () => {
    const turn = turns.start({ id: 'A', agent: 'first' });
    turns.start({ id: 'A', agent: 'double' });
    turn.end();
    expect(telemetry.span('invoke_agent double').attributes).toMatchObject({
      'turnwatch.outcome': 'failed',
      'error.type': 'refused',
    });
    expect(telemetry.span('invoke_agent first').attributes['turnwatch.outcome']).toBe('completed');
  });

  it('never end before they begin, whatever is done to the wall clock', () => {
    const turn = turns.start();
    turns.wallStepMs = -3_600_000;
    turns.pass(1000);
    turn.request().end();
    turn.end();
    expect(telemetry.spans).toHaveLength(2);
    for (const span of telemetry.spans) {
      expect(seconds(span.startTime)).toBe(turns.startWallMs / 1000);
      expect(seconds(span.duration)).toBe(0);
    }
  });
});

describe('parents and children', () => {
  it('are one trace within a process, the child below the call that runs it', async () => {
    const parent = turns.start({ id: 'P', agent: 'parent' });
    await parent.run(() =>
      parent.withToolCall({ id: 'c1', name: 'delegate' }, async () => {
        await Promise.resolve();
        await turns.start({ id: 'K', agent: 'child' }).run((child) => child.request({ model: 'm1' }).end());
      }),
    );
    const [chat, child, call, agent] = telemetry.spans;
    expect(names()).toEqual([
      'chat m1',
      'invoke_agent child',
      'execute_tool delegate',
      'invoke_agent parent',
    ]);
    expect(chat?.parentSpanContext?.spanId).toBe(child?.spanContext().spanId);
    expect(child?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
    expect(call?.parentSpanContext?.spanId).toBe(agent?.spanContext().spanId);
    expect(child?.attributes['turnwatch.turn.parent_id']).toBe('P');
    expect(new Set(telemetry.spans.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it('are one trace over processes by traceparent', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const turn = turns.start({ agent: 'worker', parentId: 'elsewhere', traceparent });
    turn.end();
    const { parentSpanContext } = telemetry.span('invoke_agent worker');
    expect(parentSpanContext).toMatchObject({
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      isRemote: true,
    });
    expect(turn.traceparent).toBe(
      `00-${'a'.repeat(32)}-${telemetry.span('invoke_agent worker').spanContext().spanId}-01`,
    );
  });

  it('are linked where only the id of the parent is known', () => {
    const parent = turns.start({ id: 'P', agent: 'parent' });
    turns.start({ agent: 'child', parentId: 'P' }).end();
    parent.end();
    const { spanId, traceId } = telemetry.span('invoke_agent parent').spanContext();
    const child = telemetry.span('invoke_agent child');
    expect(child.links).toMatchObject([{ context: { spanId, traceId } }]);
    expect(child.spanContext().traceId).not.toBe(traceId);
  });

  it('keep to a given trace id, and are found in it', () => {
    const turn = turns.start({ traceId: 'c'.repeat(32) });
    turn.end();
    expect(turn.trace.traceId).toBe('c'.repeat(32));
    expect(telemetry.span('invoke_agent').spanContext().traceId).toBe('c'.repeat(32));
  });

  it("hang below the caller's span, with requests below their turn, not beside it", () => {
    const tracer = api.trace.getTracer('app');
    tracer.startActiveSpan('POST /jobs', (caller) => {
      const turn = turns.start({ agent: 'worker' });
      turn.request({ model: 'm1' }).end();
      turn.end();
      caller.end();
    });
    const caller = telemetry.span('POST /jobs').spanContext();
    const agent = telemetry.span('invoke_agent worker');
    expect(agent.parentSpanContext?.spanId).toBe(caller.spanId);
    expect(telemetry.span('chat m1').parentSpanContext?.spanId).toBe(agent.spanContext().spanId);
  });

  it('link a span that is active in another trace', () => {
    api.trace.getTracer('app').startActiveSpan('job', (caller) => {
      turns.start({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }).end();
      caller.end();
    });
    const { traceId, spanId } = telemetry.span('job').spanContext();
    expect(telemetry.span('invoke_agent').links).toMatchObject([{ context: { traceId, spanId } }]);
  });

  it("put spans of the application's own below the work that makes them", async () => {
    const turn = turns.start();
    await turn.run(() =>
      turn.withRequest({ model: 'm1' }, async () => api.trace.getTracer('app').startSpan('http').end()),
    );
    expect(telemetry.span('http').parentSpanContext?.spanId).toBe(
      telemetry.span('chat m1').spanContext().spanId,
    );
  });
});

describe('without spans', () => {
  it('live records go on where a turn is sampled out, under the trace that was decided about', async () => {
    await telemetry.shutdown();
    telemetry = new Telemetry({ sampler: new AlwaysOffSampler() }).registerTracer().registerMeter();
    const turn = turns.start({ id: 'A' });
    work(turn);
    turn.end();
    expect(telemetry.spans).toEqual([]);
    expect(turn.trace.sampled).toBe(false);
    const live = turns.emitted.filter(({ attributes }) => attributes['turnwatch.turn.id'] === 'A');
    expect(live.map(({ eventName }) => eventName)).toEqual(
      expect.arrayContaining([
        'turnwatch.turn.started',
        'turnwatch.request.first_chunk',
        'turnwatch.turn.ended',
      ]),
    );
    // Metrics know no sampling.
    expect(await telemetry.points('gen_ai.client.inference.duration')).toMatchObject([{ count: 1 }]);
  });

  it('nothing is kept and turns have a trace of their own where nobody has registered a tracer', async () => {
    await telemetry.shutdown();
    const turn = turns.start({ id: 'A' });
    expect(turns.runtime.recorder?.open({}, undefined)).toBeUndefined();
    expect(turn.trace).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), sampled: false });
    await turn.run(async () => work(turn));
    expect(turns.emitted.at(-1)?.eventName).toBe('turnwatch.turn.ended');
  });

  it('nothing is made where they are switched off', () => {
    turns = new ScriptedTurns({ spans: false });
    const turn = turns.start();
    work(turn);
    turn.end();
    expect(telemetry.spans).toEqual([]);
    expect(turn.trace.sampled).toBe(false);
  });

  it('a tracer of nothing, which hands back its parent, is none', () => {
    api.trace.disable();
    const startSpan = (_name: string, _options: unknown, context: api.Context): api.Span =>
      api.trace.wrapSpanContext(api.trace.getSpanContext(context) ?? api.INVALID_SPAN_CONTEXT);
    const nothing = { getTracer: () => ({ startSpan }) } as unknown as api.TracerProvider;
    api.trace.setGlobalTracerProvider(nothing);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(turns.runtime.recorder?.open({ traceparent }, undefined)).toBeUndefined();
    expect(turns.start({ traceparent }).trace.spanId).not.toBe('b'.repeat(16));
    expect(turns.runtime.recorder?.open({}, undefined)).toBeUndefined();
  });

  it('an agent is not harmed by a tracer that throws', () => {
    api.trace.disable();
    const broken = {
      startSpan: () => {
        throw new Error('tracer on fire');
      },
    };
    api.trace.setGlobalTracerProvider({ getTracer: () => broken } as unknown as api.TracerProvider);
    const turn = turns.start({ id: 'A' });
    work(turn);
    expect(turn.isOpen).toBe(true);
    turn.end();
    expect(turns.emitted.at(-1)?.eventName).toBe('turnwatch.turn.ended');
  });
});
