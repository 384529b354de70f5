import type { PluginHost } from '@turnwatch/plugin';

/** What a probe needs of the world; the host of a plugin has it. */
export type EngineAccess = Pick<PluginHost, 'fetch' | 'secret'> & {
  readonly clock: Pick<PluginHost['clock'], 'monoMs'>;
};

export interface DirectAccessOptions {
  /** Monotonic, ms. */
  readonly monoMs: () => number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof globalThis.fetch;
}

const defaultMaxBytes = 1024 * 1024;

/** For a probe outside of a detector, whose user has named the engine's address: nothing is guarded but the size of answers. */
export function directAccess({ monoMs, environment, fetch }: DirectAccessOptions): EngineAccess {
  return {
    clock: { monoMs },
    secret(variable) {
      const value = environment[variable];
      if (value === undefined || value === '')
        throw new Error(
          `the environment variable ${variable} is not set, and the engine's token is to be in it`,
        );
      return value;
    },
    async fetch(url, { method, headers, body, signal, maxBytes = defaultMaxBytes } = {}) {
      const answer = await fetch(url, {
        redirect: 'manual',
        ...(method === undefined ? {} : { method }),
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: await firstBytes(answer, maxBytes),
      };
    },
  };
}

async function firstBytes(answer: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = maxBytes;
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece.subarray(0, left), { stream: true });
    left -= piece.length;
    if (left <= 0) break;
  }
  return text;
}
