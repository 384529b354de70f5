import { describe, expect, it } from 'vitest';
import { formatTraceparent, linkTurn, parseTraceparent } from './trace-link.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('traceparent', () => {
  it('is read and written', () => {
    const link = parseTraceparent(traceparent);
    expect(link).toEqual({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
      sampled: true,
    });
    expect(link && formatTraceparent(link)).toBe(traceparent);
    expect(parseTraceparent(traceparent.replace(/01$/, '00'))?.sampled).toBe(false);
    expect(parseTraceparent(`cc${traceparent.slice(2)}-future`)).toBeDefined();
  });

  it.each([
    undefined,
    '',
    'x',
    `ff${traceparent.slice(2)}`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `${traceparent}x`,
  ])('is not taken from %s', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});

describe('linkTurn', () => {
  const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true };

  it('takes what is given, else the parent, and always a span of its own', () => {
    expect(linkTurn({ traceparent }, parent)).toMatchObject({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      sampled: true,
    });
    expect(linkTurn({ traceId: 'c'.repeat(32) }, parent)).toMatchObject({
      traceId: 'c'.repeat(32),
      sampled: false,
    });
    const child = linkTurn({}, parent);
    expect(child).toMatchObject({ traceId: parent.traceId, sampled: true });
    expect(child.spanId).not.toBe(parent.spanId);
  });

  it('makes a new trace where there is nothing, or nonsense', () => {
    const one = linkTurn({}, undefined);
    expect(one.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(one.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(linkTurn({ traceparent: 'no', traceId: 'no' }, undefined).traceId).not.toBe(one.traceId);
  });
});
