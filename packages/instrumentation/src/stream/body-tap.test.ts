import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BodyWatch, tapBody } from './body-tap.ts';

class Seen implements BodyWatch {
  readonly events: string[] = [];
  readonly pieces: Uint8Array[] = [];
  pulls = 0;

  pulling(): void {
    this.pulls++;
  }

  bytes(chunk: Uint8Array): void {
    this.pieces.push(chunk.slice());
  }

  ended(): void {
    this.events.push('ended');
  }

  failed(error: unknown): void {
    this.events.push(`failed ${error instanceof Error ? error.message : error}`);
  }

  cancelled(): void {
    this.events.push('cancelled');
  }
}

type Kind = 'bytes' | 'default';

function source(
  kind: Kind,
  pieces: readonly Uint8Array[],
  onCancel?: (reason: unknown) => void,
): ReadableStream<Uint8Array> {
  const left = pieces.map((piece) => piece.slice());
  const pull = (
    controller: ReadableByteStreamController | ReadableStreamDefaultController<Uint8Array>,
  ): void => {
    const next = left.shift();
    if (next === undefined) {
      controller.close();
      if ('byobRequest' in controller) controller.byobRequest?.respond(0);
    } else controller.enqueue(next as Uint8Array<ArrayBuffer>);
  };
  const cancel = (reason: unknown): void => onCancel?.(reason);
  return kind === 'bytes'
    ? (new ReadableStream({ type: 'bytes', pull, cancel }) as ReadableStream<Uint8Array>)
    : new ReadableStream<Uint8Array>({ pull, cancel });
}

async function all(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

const some = [new Uint8Array([1, 2, 3]), new Uint8Array([4]), new Uint8Array([5, 6])];

describe.each<Kind>(['bytes', 'default'])('a %s stream', (kind) => {
  test('comes out piece by piece as it went in, whatever the pieces', async () => {
    const piece = fc.uint8Array({ minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        const seen = new Seen();
        expect(await all(tapBody(source(kind, pieces), seen).stream)).toEqual(pieces);
        expect(seen.pieces).toEqual(pieces);
        expect(seen.events).toEqual(['ended']);
      }),
      { numRuns: 60 },
    );
  });

  test('is read no sooner than its reader asks', async () => {
    const seen = new Seen();
    const { stream } = tapBody(source(kind, some), seen);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.pulls).toBe(0);
    const reader = stream.getReader();
    await reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.pieces).toHaveLength(1);
  });

  test('can be teed', async () => {
    const seen = new Seen();
    const [left, right] = tapBody(source(kind, some), seen).stream.tee();
    expect(await Promise.all([all(left), all(right)])).toEqual([some, some]);
    expect(seen.pieces).toEqual(some);
  });

  test('can be piped', async () => {
    const seen = new Seen();
    const through = tapBody(source(kind, some), seen).stream.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>(),
    );
    expect(await all(through)).toEqual(some);
  });

  test('hands a cancel on with its reason', async () => {
    const seen = new Seen();
    const reasons: unknown[] = [];
    const { stream } = tapBody(
      source(kind, some, (reason) => reasons.push(reason)),
      seen,
    );
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel('enough');
    expect(reasons).toEqual(['enough']);
    expect(seen.events).toEqual(['cancelled']);
  });

  test('is let go of when a loop is left', async () => {
    const seen = new Seen();
    const reasons: unknown[] = [];
    for await (const _ of tapBody(
      source(kind, some, (reason) => reasons.push(reason)),
      seen,
    ).stream)
      break;
    expect(reasons).toHaveLength(1);
    expect(seen.events).toEqual(['cancelled']);
  });

  test('is ended by an abort for its reader and for its source', async () => {
    const seen = new Seen();
    const reasons: unknown[] = [];
    const error = new Error('idle');
    const { stream, abort } = tapBody(
      source(kind, [], (reason) => reasons.push(reason)),
      seen,
    );
    abort(error);
    await expect(stream.getReader().read()).rejects.toBe(error);
    expect(reasons).toEqual([error]);
    expect(seen.events).toEqual(['failed idle']);
    abort(new Error('again'));
    expect(seen.events).toHaveLength(1);
  });

  test('goes on when its watch throws', async () => {
    const fail = (): never => {
      throw new Error('defect');
    };
    const watch: BodyWatch = { pulling: fail, bytes: fail, ended: fail, failed: fail, cancelled: fail };
    expect(await all(tapBody(source(kind, some), watch).stream)).toEqual(some);
  });
});

test('an error comes out as the very one that went in', async () => {
  const seen = new Seen();
  const error = new Error('reset');
  const broken = new ReadableStream<Uint8Array>({
    pull: () => {
      throw error;
    },
  });
  await expect(all(tapBody(broken, seen).stream)).rejects.toBe(error);
  expect(seen.events).toEqual(['failed reset']);
});

test('readers with buffers of their own are served, to the end', async () => {
  const reader = tapBody(source('bytes', some), new Seen()).stream.getReader({ mode: 'byob' });
  const got: number[] = [];
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(2));
    if (value !== undefined) got.push(...value);
    if (done) break;
  }
  expect(got).toEqual([1, 2, 3, 4, 5, 6]);
});

test('pieces that are views of a pooled buffer stay what they are, and so does the pool', async () => {
  const neighbour = Buffer.from('neighbour');
  const pooled = Buffer.from('pooled');
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(pooled);
      controller.close();
    },
  });
  const [piece] = await all(tapBody(stream, new Seen()).stream);
  expect(piece).toBe(pooled);
  expect(neighbour.toString()).toBe('neighbour');
});

test('a body that is dropped unread lets go of its connection', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const seen = new Seen();
  const released = new Promise<void>((resolve) => {
    // Not kept: `abort`, which the watch of a real body holds, must not hold the stream.
    const { abort } = tapBody(
      source('bytes', some, () => resolve()),
      seen,
    );
    Object.assign(seen, { abort });
  });
  const timer = setInterval(collect, 5);
  await released;
  clearInterval(timer);
  expect(seen.events).toEqual(['cancelled']);
});
