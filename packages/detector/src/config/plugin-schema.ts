import { z } from 'zod';
import type { EndpointInput } from './endpoint-schema.ts';
import { endpointMatch, endpointTypes } from './endpoint-schema.ts';
import { flag, map, must, text } from './words.ts';

/** A plugin as written. */
export interface PluginInput {
  /** A built-in one by name, a package by name, or a file or folder by a path that begins with `./`, `../` or `/`. */
  readonly plugin: string;
  /** Its name in logs, metrics and deliveries. Default: the plugin's own. */
  readonly id?: string;
  /** What it takes is its own affair; it checks them. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** In a process of its own, which is ended and started anew when it hangs. For all but stores. Default false. */
  readonly isolate?: boolean;
  /** How long one call may take, ms. Default: 10 s for a sink, 2 s for a probe, 1 s for a mapper. */
  readonly timeoutMs?: number;
  /** For a probe: from the start of one look to the next, ms, 500 at least. Default 1000. */
  readonly pollMs?: number;
  /** For a sink, as of an endpoint: only events about these. */
  readonly match?: NonNullable<EndpointInput['match']>;
  /** For a sink, as of an endpoint. */
  readonly types?: NonNullable<EndpointInput['types']>;
  /** Networks of one's own that its `fetch` may dial, as `10.0.0.0/8`. Default: those of `webhook.allowPrivate`. */
  readonly allowPrivate?: readonly string[];
  /** Whether its `fetch` may dial this host itself. Default: as for webhooks; a probe may. */
  readonly allowLoopback?: boolean;
}

/** A store by plugin, in the place of `memory` or `{file}`. */
export interface PluginStoreInput {
  readonly plugin: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** The least time between two looks at an engine: it has better things to do. */
export const leastPollMs = 500;

const options = z.record(z.string(), z.unknown(), must('a map of options'));
const span = (least: number, most: number): z.ZodType<number> => {
  const what = must(`a number of milliseconds from ${least} to ${most}`);
  return z.number(what).min(least, what).max(most, what);
};

export const pluginSchema: z.ZodType<PluginInput> = z.strictObject(
  {
    plugin: text,
    id: z
      .string(must('a name'))
      .regex(/^[A-Za-z0-9_-]{1,64}$/, must('a name of 1 to 64 letters, digits, "_" or "-"'))
      .exactOptional(),
    options: options.exactOptional(),
    isolate: flag.exactOptional(),
    timeoutMs: span(10, 300_000).exactOptional(),
    pollMs: span(leastPollMs, 3_600_000).exactOptional(),
    match: endpointMatch.exactOptional(),
    types: endpointTypes.exactOptional(),
    allowPrivate: z.array(text, must('a list of networks, as 10.0.0.0/8')).exactOptional(),
    allowLoopback: flag.exactOptional(),
  },
  must('a map with at least plugin'),
);

export const pluginStoreSchema: z.ZodType<PluginStoreInput> = z.strictObject(
  { plugin: text, options: options.exactOptional() },
  map,
);
