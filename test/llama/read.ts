import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './children.ts';
import type { Way } from './ways.ts';

export interface Scene {
  readonly detector: string;
  readonly engine: string;
  /** In front of the engine. */
  readonly tap: string;
  readonly server: Child;
  readonly prompt: string;
  /** How long a read is watched before the server is stopped. */
  readonly readMs: number;
  readonly print: (text: string) => void;
}

export interface ReadResult {
  readonly way: string;
  readonly readMs: number;
  /** Longest silence that the detector held against it while it read. */
  readonly longestSilenceMs: number;
  readonly states: readonly string[];
  readonly pings: number;
  /** From SIGSTOP to the verdict; undefined: none came. */
  readonly flaggedAfterMs: number | undefined;
  readonly reason: string | undefined;
  /** From the client's leaving to the slot's being free; undefined: it read on. */
  readonly cancelledAfterMs: number | undefined;
  readonly faults: readonly string[];
}

interface TurnState {
  readonly state: string;
  readonly silenceMs: number;
  readonly reason?: string;
}

const flagWithinMs = 30_000;
const cancelWithinMs = 15_000;

/** One prompt read, seen in one way: while it reads, while the server is stopped, and after its client has left. */
export async function readOnce(way: Way, id: string, scene: Scene): Promise<ReadResult> {
  const faults: string[] = [];
  const begun = way.begin(id, new URL(scene.engine).host, modelOf(way));
  const leaving = new AbortController();
  const seen = { bytes: '', isOver: false };
  const reading = follow(way, id, scene, begun?.fetch ?? fetch, leaving.signal, seen);

  const states = new Set<string>();
  let longestSilenceMs = 0;
  const startedMs = performance.now();
  while (performance.now() - startedMs < scene.readMs && !seen.isOver) {
    await sleep(1000);
    const turn = await stateOf(scene.detector, id);
    if (turn === undefined) continue;
    states.add(turn.state);
    longestSilenceMs = Math.max(longestSilenceMs, turn.silenceMs);
  }
  const readMs = performance.now() - startedMs;
  if (states.has('stale')) faults.push('it was flagged while the engine read');
  if (seen.isOver) faults.push(`the read was over after ${seconds(readMs)}: give it a longer prompt`);
  const pings = seen.bytes.match(/^:/gm)?.length ?? 0;

  scene.server.signal('SIGSTOP');
  const stoppedMs = performance.now();
  let flagged: TurnState | undefined;
  while (flagged === undefined && performance.now() - stoppedMs < flagWithinMs) {
    await sleep(250);
    const turn = await stateOf(scene.detector, id);
    if (turn?.state === 'stale') flagged = turn;
  }
  const flaggedAfterMs = flagged === undefined ? undefined : performance.now() - stoppedMs;
  if (flagged === undefined) faults.push('it was not flagged while the server was stopped');
  scene.server.signal('SIGCONT');

  // It reads on, and then its client leaves.
  await sleep(4000);
  leaving.abort();
  await reading;
  const cancelledAfterMs = await untilFree(scene.engine);
  if (cancelledAfterMs === undefined) faults.push('the engine read on for a client that had left');
  begun?.turn.end({ outcome: 'cancelled' });
  return {
    way: way.name,
    readMs,
    longestSilenceMs,
    states: [...states],
    pings,
    flaggedAfterMs,
    reason: flagged?.reason,
    cancelledAfterMs,
    faults,
  };
}

/** A verdict that the server's going on refutes makes the detector more patient with that model. */
function modelOf({ name }: Way): string {
  return `random-${name}`;
}

async function follow(
  way: Way,
  id: string,
  { tap, engine, prompt }: Scene,
  fetched: typeof fetch,
  signal: AbortSignal,
  seen: { bytes: string; isOver: boolean },
): Promise<void> {
  try {
    const answer = await fetched(`${way.tap ? tap : engine}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-turnwatch-turn-id': id },
      // Another beginning each time, so that nothing of it is in the cache.
      body: JSON.stringify({
        model: modelOf(way),
        stream: true,
        max_tokens: 4,
        messages: [{ role: 'user', content: `${id} ${prompt}` }],
        ...way.asks,
      }),
      signal,
    });
    if (answer.status !== 200)
      throw new Error(`the engine answered ${answer.status}: ${await answer.text()}`);
    for await (const piece of answer.body ?? []) seen.bytes += Buffer.from(piece).toString();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  seen.isOver = true;
}

async function stateOf(detector: string, id: string): Promise<TurnState | undefined> {
  const answer = await fetch(`${detector}/v1/turns/${id}`);
  if (answer.status === 404) {
    await answer.body?.cancel();
    return undefined;
  }
  return (await answer.json()) as TurnState;
}

/** Asks no more often than a probe may. */
async function untilFree(engine: string): Promise<number | undefined> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < cancelWithinMs) {
    await sleep(2500);
    const slots = (await (await fetch(`${engine}/slots`)).json()) as { readonly is_processing: boolean }[];
    if (slots.every((slot) => !slot.is_processing)) return performance.now() - startedMs;
  }
  return undefined;
}

export function seconds(ms: number | undefined): string {
  return ms === undefined ? '-' : `${(ms / 1000).toFixed(1)} s`;
}
