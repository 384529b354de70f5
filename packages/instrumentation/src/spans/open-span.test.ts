import { afterEach, beforeEach, expect, it } from 'vitest';
import { Telemetry } from '../../fixtures/telemetry.ts';
import { OpenSpan } from './open-span.ts';

let telemetry: Telemetry;
beforeEach(() => {
  telemetry = new Telemetry();
});
afterEach(() => telemetry.shutdown());

it('ends once: the first end counts', () => {
  const open = new OpenSpan(
    telemetry.tracers.getTracer('test').startSpan('chat', { startTime: new Date(1000) }),
  );
  const attributes: unknown[] = [];
  const { span } = open;
  const set = span.setAttributes.bind(span);
  span.setAttributes = (more) => {
    attributes.push(more);
    return set(more);
  };
  open.end(2000, 'failed');
  open.end(3000, 'completed');
  expect(attributes).toEqual([{ 'turnwatch.outcome': 'failed' }]);
  expect(telemetry.span('chat')).toMatchObject({
    attributes: { 'turnwatch.outcome': 'failed', 'error.type': '_OTHER' },
    endTime: [2, 0],
  });
});
