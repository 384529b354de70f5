import { z } from 'zod';
import type { SlotOwners } from './slot-owners.ts';

/** What every probe of a named engine takes. */
export interface EngineOptions {
  /** Where the engine answers: `http://127.0.0.1:8080`. A path in it is kept, for engines behind a prefix. */
  readonly url: string;
  /** The engine's name as agents give it in `engineId`. Default: the host and port of `url`. */
  readonly engine?: string | undefined;
  /** Variable with a bearer token. Default: none is sent. */
  readonly tokenEnv?: string | undefined;
}

/** For probes in the process of an agent or a tap. */
export interface InProcessOptions {
  /** Default: nobody knows whose slot it is. */
  readonly owners?: SlotOwners | undefined;
}

export const engineOptions: z.ZodType<EngineOptions> = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  engine: z.string().min(1).optional(),
  tokenEnv: z.string().min(1).optional(),
});

export function engineName({ url, engine }: EngineOptions): string {
  return engine ?? new URL(url).host;
}
