import * as api from '@opentelemetry/api';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Telemetry } from '../../fixtures/telemetry.ts';
import { setLoggerProvider, TurnSpanProcessor, withTurn } from '../index.ts';

const exporter = new InMemoryLogRecordExporter();
const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });

let telemetry: Telemetry;

beforeEach(() => {
  setLoggerProvider(provider);
  telemetry = new Telemetry({ processors: [new TurnSpanProcessor()] }).registerTracer();
});
afterEach(async () => {
  exporter.reset();
  await telemetry.shutdown();
});

interface Live {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
}

function live(): Live[] {
  return exporter
    .getFinishedLogRecords()
    .filter(({ attributes }) => 'turnwatch.turn.id' in attributes)
    .map(({ eventName = '', attributes, spanContext }) => ({
      name: eventName.replace('turnwatch.', ''),
      attributes,
      traceId: spanContext?.traceId,
      spanId: spanContext?.spanId,
    }));
}
const liveNames = (): string[] => live().map(({ name }) => name);

/** A foreign instrumentation. */
const tracer = (): api.Tracer => api.trace.getTracer('some-genai-instrumentation');

function spanned(
  name: string,
  attributes: api.Attributes,
  work: (span: api.Span) => void = () => undefined,
): void {
  tracer().startActiveSpan(name, { attributes }, (span) => {
    work(span);
    span.end();
  });
}

describe('spans of another instrumentation', () => {
  it.each([
    ['new', 'gen_ai.provider.name', 'invoke_agent', 'gen_ai.agent.name', 'chat'],
    ['old', 'gen_ai.system', 'invoke_workflow', 'gen_ai.workflow.name', 'text_completion'],
    ['new', 'gen_ai.provider.name', 'invoke_agent', 'gen_ai.agent.name', 'generate_content'],
  ])('are live turns, requests and calls at once, by %s names', (_age, system, agent, agentName, chat) => {
    spanned(
      'agent run',
      { 'gen_ai.operation.name': agent, [agentName]: 'worker', [system]: 'acme' },
      (root) => {
        expect(liveNames()).toEqual(['turn.started']);
        expect(live()[0]?.attributes).toMatchObject({
          'gen_ai.agent.name': 'worker',
          'gen_ai.provider.name': 'acme',
        });
        expect(live()[0]).toMatchObject({
          traceId: root.spanContext().traceId,
          spanId: root.spanContext().spanId,
        });
        spanned('llm', { 'gen_ai.operation.name': chat, 'gen_ai.request.model': 'm1' });
        spanned('tool', {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'bash',
          'gen_ai.tool.call.id': 'c1',
        });
      },
    );
    expect(liveNames()).toEqual([
      'turn.started',
      'request.started',
      'request.ended',
      'tool.started',
      'tool.ended',
      'turn.ended',
    ]);
    expect(live()[1]?.attributes['gen_ai.request.stream']).toBe(false);
    expect(live()[3]?.attributes).toMatchObject({ 'gen_ai.tool.call.id': 'c1', 'gen_ai.tool.name': 'bash' });
    expect(live().at(-1)?.attributes['turnwatch.outcome']).toBe('completed');
    expect(new Set(live().map(({ traceId }) => traceId)).size).toBe(1);
    // No span of ours beside theirs.
    expect(telemetry.spans.map(({ name }) => name)).toEqual(['llm', 'tool', 'agent run']);
  });

  it('say how they ended', () => {
    spanned('invoke_agent worker', { 'gen_ai.operation.name': 'invoke_agent' }, (root) => {
      spanned('chat m1', { 'gen_ai.operation.name': 'chat' }, (span) => {
        span.setAttribute('error.type', 'AbortError');
      });
      root.setStatus({ code: api.SpanStatusCode.ERROR, message: 'secret' });
    });
    const ends = live().filter(({ name }) => name.endsWith('.ended'));
    expect(ends.map(({ attributes }) => attributes['turnwatch.outcome'])).toEqual(['cancelled', 'failed']);
    expect(ends[1]?.attributes['error.type']).toBe('_OTHER');
    expect(JSON.stringify(live())).not.toContain('secret');
  });

  it('are known by their name where the operation is set after the start', () => {
    spanned('invoke_agent worker', {}, (root) => {
      expect(liveNames()).toEqual(['turn.started']);
      root.setAttribute('gen_ai.operation.name', 'invoke_agent');
    });
    expect(liveNames()).toEqual(['turn.started', 'turn.ended']);
  });

  it('find their turn through spans of no interest, and a child its parent and call', () => {
    spanned('invoke_agent parent', { 'gen_ai.operation.name': 'invoke_agent' }, () =>
      spanned('step', {}, () =>
        spanned(
          'execute_tool delegate',
          { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.id': 'c9' },
          () =>
            spanned('http', {}, () =>
              spanned('invoke_agent child', { 'gen_ai.operation.name': 'invoke_agent' }, () =>
                spanned('chat m1', { 'gen_ai.operation.name': 'chat' }),
              ),
            ),
        ),
      ),
    );
    const [parent, child] = live().filter(({ name }) => name === 'turn.started');
    const request = live().find(({ name }) => name === 'request.started');
    expect(child?.attributes).toMatchObject({
      'turnwatch.turn.parent_id': parent?.attributes['turnwatch.turn.id'],
      'turnwatch.turn.parent_call_id': 'c9',
    });
    expect(request?.attributes['turnwatch.turn.id']).toBe(child?.attributes['turnwatch.turn.id']);
  });

  it('are of no interest outside of a turn, or when they are not of GenAI', () => {
    spanned('GET /', {}, () => spanned('chat m1', { 'gen_ai.operation.name': 'chat' }));
    expect(live()).toEqual([]);
  });

  it('are work of a turn that was started by hand around them, without a second span of ours', async () => {
    telemetry.registerMeter();
    await withTurn({ id: 'by-hand', agent: 'worker' }, async () =>
      spanned('chat m1', { 'gen_ai.operation.name': 'chat' }),
    );
    expect(liveNames()).toEqual(['turn.started', 'request.started', 'request.ended', 'turn.ended']);
    expect(telemetry.spans.map(({ name }) => name)).toEqual(['chat m1', 'invoke_agent worker']);
    const [chat, agent] = telemetry.spans;
    expect(chat?.parentSpanContext?.spanId).toBe(agent?.spanContext().spanId);
    expect(live()[0]?.spanId).toBe(agent?.spanContext().spanId);
    // Nor the same call in our metrics once more: its own instrumentation records it.
    expect(await telemetry.points('gen_ai.client.inference.duration')).toBeUndefined();
    expect(await telemetry.points('turnwatch.gap.largest_seconds')).toBeDefined();
  });

  it('leave requests to the tap of streams where they are told to', async () => {
    await telemetry.shutdown();
    telemetry = new Telemetry({ processors: [new TurnSpanProcessor({ requests: false })] }).registerTracer();
    spanned('invoke_agent worker', { 'gen_ai.operation.name': 'invoke_agent' }, () =>
      spanned('chat m1', { 'gen_ai.operation.name': 'chat' }, () =>
        spanned('execute_tool bash', { 'gen_ai.operation.name': 'execute_tool' }),
      ),
    );
    expect(liveNames()).toEqual(['turn.started', 'tool.started', 'tool.ended', 'turn.ended']);
  });

  it('are not seen when they are sampled out', async () => {
    await telemetry.shutdown();
    telemetry = new Telemetry({
      sampler: new AlwaysOffSampler(),
      processors: [new TurnSpanProcessor()],
    }).registerTracer();
    spanned('invoke_agent worker', { 'gen_ai.operation.name': 'invoke_agent' });
    expect(live()).toEqual([]);
  });
});

it('keeps the newest 10,000 spans that never end', () => {
  const processor = new TurnSpanProcessor();
  const seen = (name: string, parentSpanId: string | undefined, spanId: string) => ({
    name,
    attributes: {},
    status: { code: 0 },
    parentSpanId,
    spanContext: () => ({ traceId: 'a'.repeat(32), spanId, traceFlags: 1 }),
  });
  processor.onStart(seen('invoke_agent old', undefined, 'f'.repeat(16)));
  for (let n = 0; n < 10_000; n++)
    processor.onStart(seen('step', 'f'.repeat(16), n.toString(16).padStart(16, '0')));
  exporter.reset();
  // The turn itself was the oldest: what would hang below it has no turn any more.
  processor.onStart(seen('chat m1', 'f'.repeat(16), 'e'.repeat(16)));
  expect(live()).toEqual([]);
  processor.onStart(seen('chat m1', '0'.repeat(15).concat('1'), 'd'.repeat(16)));
  expect(liveNames()).toEqual(['request.started']);
});
