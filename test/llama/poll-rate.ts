import { setTimeout as sleep } from 'node:timers/promises';
import { directAccess, llamaCppProbe } from '@turnwatch/engines';

export interface PollRate {
  readonly name: string;
  readonly pings: number;
  readonly looks: number;
  /** The slot was free again so soon after the client had left. */
  readonly cancelled: boolean;
}

const watchedMs = 14_000;

/**
 * Streams a prompt read that the server is to ping once a second, while something looks at the engine: how many pings
 * come, and whether the server notices that its client has left.
 */
export async function pollRate(
  name: string,
  engine: string,
  prompt: string,
  everyMs: number,
  look: () => Promise<unknown>,
): Promise<PollRate> {
  const leaving = new AbortController();
  const answer = await fetch(`${engine}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      stream: true,
      max_tokens: 4,
      sse_ping_interval: 1,
      messages: [{ role: 'user', content: `${name} ${prompt}` }],
    }),
    signal: leaving.signal,
  });
  let bytes = '';
  const reading = (async () => {
    for await (const piece of answer.body ?? []) bytes += Buffer.from(piece).toString();
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  let looks = 0;
  const looking = setInterval(() => {
    looks++;
    // A look that fails is seen in what it was to show.
    void look().catch(() => undefined);
  }, everyMs);
  await sleep(watchedMs);
  leaving.abort();
  await reading;
  await sleep(5000);
  clearInterval(looking);
  await sleep(2500);
  const slots = (await (await fetch(`${engine}/slots`)).json()) as { readonly is_processing: boolean }[];
  return {
    name,
    pings: bytes.match(/^:/gm)?.length ?? 0,
    looks,
    cancelled: slots.every((slot) => !slot.is_processing),
  };
}

/** Looks as a probe of ours does that is asked far too often. */
export function ownLook(engine: string): () => Promise<unknown> {
  const access = directAccess({ monoMs: () => performance.now(), environment: {}, fetch });
  const probe = llamaCppProbe({ url: engine }, access);
  return () => probe.probe(AbortSignal.timeout(5000));
}
