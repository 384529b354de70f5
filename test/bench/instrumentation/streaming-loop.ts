import { createRequire } from 'node:module';
import type { OpenAI } from 'openai';
import type { ScriptedServer } from './scripted-server.ts';

interface Ask {
  readonly chunks: number;
  /** Default: as fast as they are read. */
  readonly perSecond?: number;
}

/** A request that the loop itself tells of. */
interface ToldRequest {
  chunk(): void;
  end(): void;
}

export interface Watch {
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
  readonly request?: () => ToldRequest | undefined;
}

/** What an agent does with a real client, the same for everybody. */
export class StreamingLoop {
  readonly #client: OpenAI;
  readonly #server: ScriptedServer;
  readonly #request: Watch['request'];

  constructor(server: ScriptedServer, watch: Watch) {
    // As CommonJS, where all instrumentations of others can patch it without a loader hook.
    const { OpenAI } = createRequire(import.meta.url)('openai') as typeof import('openai');
    this.#server = server;
    this.#client = new OpenAI({
      apiKey: 'none',
      baseURL: `${server.url}/v1`,
      maxRetries: 0,
      ...(watch.fetch === undefined ? {} : { fetch: watch.fetch }),
    });
    this.#request = watch.request;
  }

  /** @returns ms from the first chunk to the last. */
  async run({ chunks, perSecond = 0 }: Ask): Promise<number> {
    const request = this.#request?.();
    const stream = await this.#client.chat.completions.create(
      {
        model: 'gpt-5.5-mini',
        messages: [
          { role: 'system', content: 'You are a careful assistant. Answer in short sentences.' },
          { role: 'user', content: 'How is the weather in Paris, and what should I wear tomorrow?' },
        ],
        stream: true,
        stream_options: { include_usage: true },
      },
      { headers: { 'x-chunks': String(chunks), 'x-per-second': String(perSecond) } },
    );
    let read = 0;
    let letters = 0;
    let firstMs = 0;
    for await (const chunk of stream) {
      letters += chunk.choices[0]?.delta.content?.length ?? 0;
      read++;
      request?.chunk();
      if (read === 1) firstMs = performance.now();
      this.#server.chunkRead();
    }
    request?.end();
    const lastMs = performance.now();
    if (read !== chunks + 2 || letters !== chunks * ' weather'.length)
      throw new Error(
        `${read} chunks with ${letters} letters arrived of ${chunks} chunks and an ending of 2`,
      );
    return lastMs - firstMs;
  }
}
