import type { PolicyInput } from '@turnwatch/core';
import { z } from 'zod';
import type { IngestLimits } from '../ingest/limits.ts';
import { type CanaryRouteInput, canaryRouteSchema } from './canary-schema.ts';
import { type DeadmanInput, deadmanSchema, type ParsedDeadman } from './deadman-schema.ts';
import { type EndpointInput, endpointSchema } from './endpoint-schema.ts';
import { ingestSchema } from './ingest-schema.ts';
import { type PluginInput, type PluginStoreInput, pluginSchema, pluginStoreSchema } from './plugin-schema.ts';
import { policySchema } from './policy-schema.ts';
import type { DetectorConfig, LogFormat, LogLevel } from './shape.ts';
import { type TokenInput, tokenSchema } from './token-schema.ts';
import { count, flag, map, ms, must, text } from './words.ts';

// The configuration as people write it. Unknown keys are refused, since a mistyped one would silently mean a default.

/** What a file, the environment and flags together may hold, under the file's key `detector`. */
export interface DetectorConfigInput {
  readonly listen?: {
    readonly host?: string;
    readonly port?: number;
    readonly allowRemote?: boolean;
    readonly publicUrl?: string;
    readonly allowedHosts?: readonly string[];
  };
  readonly limits?: {
    readonly requestsPerMinute?: number;
    readonly failedAuthenticationsPerMinute?: number;
  };
  readonly store?: 'memory' | { readonly file: string } | PluginStoreInput;
  readonly policy?: PolicyInput;
  readonly endpoints?: readonly EndpointInput[];
  readonly tokens?: readonly TokenInput[];
  readonly webhook?: { readonly allowLoopback?: boolean; readonly allowPrivate?: readonly string[] };
  readonly source?: string;
  readonly log?: { readonly level?: LogLevel; readonly format?: LogFormat };
  readonly retention?: {
    readonly settledTurnsMs?: number;
    readonly maxSettledTurns?: number;
    readonly eventsMs?: number;
    readonly maxEvents?: number;
    readonly maxDeliveries?: number;
    readonly baselinesMs?: number;
    readonly maxBaselines?: number;
  };
  readonly ingest?: Partial<IngestLimits>;
  readonly canary?: { readonly routes?: readonly CanaryRouteInput[] };
  readonly deadman?: DeadmanInput;
  /** Whether telemetry of the clients that are known is judged, by the mappers that are built in. Default true. */
  readonly mappers?: boolean;
  readonly plugins?: readonly PluginInput[];
}

/** The section `detector`. Its messages complete the sentence "<path> ...". */
const section = z.strictObject(
  {
    listen: z
      .strictObject(
        {
          host: text.default('127.0.0.1'),
          port: z
            .int(must('a port number from 0 (any free one) to 65535'))
            .min(0, must('a port number from 0 (any free one) to 65535'))
            .max(65_535, must('a port number from 0 (any free one) to 65535'))
            .default(4318),
          allowRemote: flag.default(false),
          publicUrl: z
            .url({ protocol: /^https?$/, error: 'must be an http or https address' })
            .exactOptional(),
          allowedHosts: z
            .array(
              z
                .string(must('a host name'))
                .regex(
                  /^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252})$/,
                  must('a host name without scheme and port, as watch.example or *.example'),
                ),
              must('a list of host names'),
            )
            .max(100, must('a list of at most 100 host names'))
            .default([]),
        },
        map,
      )
      .prefault({}),
    limits: z
      .strictObject(
        { requestsPerMinute: count.default(6000), failedAuthenticationsPerMinute: count.default(60) },
        map,
      )
      .prefault({}),
    store: z
      .union(
        [z.literal('memory'), z.strictObject({ file: text }), pluginStoreSchema],
        must('"memory", {file: path of the database} or {plugin: name or path}'),
      )
      .default({ file: './turnwatch.db' }),
    policy: policySchema.default({}),
    endpoints: z
      .array(endpointSchema, must('a list of endpoints'))
      .max(1000, must('a list of at most 1000 endpoints'))
      .default([]),
    tokens: z
      .array(tokenSchema, must('a list of tokens'))
      .max(1000, must('a list of at most 1000 tokens'))
      .default([]),
    webhook: z
      .strictObject(
        {
          allowLoopback: flag.exactOptional(),
          allowPrivate: z.array(text, must('a list of networks, as 10.0.0.0/8')).default([]),
        },
        map,
      )
      .prefault({}),
    source: z
      .string(must('a name'))
      .regex(/^[A-Za-z0-9._-]{1,64}$/, must('a name of 1 to 64 letters, digits, ".", "_" or "-"'))
      .default('local'),
    log: z
      .strictObject(
        {
          level: z
            .enum(
              ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
              must('one of trace, debug, info, warn, error, fatal, silent'),
            )
            .default('info'),
          format: z.enum(['auto', 'json', 'pretty'], must('one of auto, json, pretty')).default('auto'),
        },
        map,
      )
      .prefault({}),
    retention: z
      .strictObject(
        {
          settledTurnsMs: ms.default(7 * 24 * 3_600_000),
          maxSettledTurns: count.default(100_000),
          eventsMs: ms.default(7 * 24 * 3_600_000),
          maxEvents: count.default(100_000),
          maxDeliveries: count.default(100_000),
          baselinesMs: ms.default(90 * 24 * 3_600_000),
          maxBaselines: count.default(10_000),
        },
        map,
      )
      .prefault({}),
    canary: z
      .strictObject(
        {
          routes: z
            .array(canaryRouteSchema, must('a list of routes'))
            .max(100, must('a list of at most 100 routes'))
            .default([]),
        },
        map,
      )
      .prefault({}),
    deadman: deadmanSchema.exactOptional(),
    ingest: ingestSchema.prefault({}),
    mappers: flag.default(true),
    plugins: z
      .array(pluginSchema, must('a list of plugins'))
      .max(100, must('a list of at most 100 plugins'))
      .default([]),
  },
  map,
);

/** The configuration with defaults, secrets not looked up yet. */
export interface ParsedFile {
  readonly detector: Omit<
    DetectorConfig,
    'endpoints' | 'webhook' | 'tokens' | 'canary' | 'deadman' | 'plugins' | 'store'
  > & {
    readonly endpoints: Entries<EndpointInput>;
    readonly tokens: Entries<TokenInput>;
    readonly webhook: { readonly allowLoopback?: boolean; readonly allowPrivate: readonly string[] };
    readonly canary: { readonly routes: Entries<CanaryRouteInput> };
    readonly deadman?: ParsedDeadman;
    readonly plugins: Entries<PluginInput>;
    readonly store: NonNullable<DetectorConfigInput['store']>;
  };
}

/** A list of the file; undefined stands for an entry that could not be read, so that the others keep their places. */
export type Entries<T> = readonly (T | undefined)[];

/** The whole file: everything of the detector's stands under `detector`. */
const file: z.ZodType<ParsedFile> = z.strictObject({ detector: section.prefault({}) }, map);

/** Checks the merged layers. */
export function parseFile(input: unknown): z.ZodSafeParseResult<ParsedFile> {
  return file.safeParse(input);
}

/** The schema of each section. */
export const sections: Readonly<Record<string, z.ZodType>> = section.shape;

/** The keys that are known at a path of the file; undefined where there is no map. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] | undefined {
  let at: z.core.$ZodType | undefined = file;
  for (const key of path) {
    const inner: z.core.$ZodType | undefined = at && unwrap(at);
    if (inner instanceof z.ZodObject) at = inner.shape[String(key)];
    else if (inner instanceof z.ZodArray) at = inner.element;
    else return undefined;
  }
  if (at instanceof z.ZodDefault && at.def.innerType instanceof z.ZodUnion) at = at.def.innerType;
  if (at instanceof z.ZodUnion) {
    const parts = at.options.flatMap((option) => (option instanceof z.ZodObject ? [option] : []));
    return parts.length === 0 ? undefined : parts.flatMap(({ shape }) => Object.keys(shape));
  }
  const inner = at && unwrap(at);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : undefined;
}

function unwrap(type: z.core.$ZodType): z.core.$ZodType {
  if (type instanceof z.ZodDefault || type instanceof z.ZodPrefault || type instanceof z.ZodExactOptional)
    return unwrap(type.def.innerType);
  // Of a union, the map is the part that has keys to suggest.
  if (type instanceof z.ZodUnion) {
    const part = type.options.find((option) => option instanceof z.ZodObject);
    return part ?? type;
  }
  return type;
}
