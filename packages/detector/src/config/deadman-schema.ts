import { z } from 'zod';
import { must, text } from './words.ts';

/** The dead-man's switch as written. */
export interface DeadmanInput {
  /** The ping address of a service as healthchecks.io. It is a secret: whoever has it can ping. */
  readonly url?: string;
  readonly urlEnv?: string;
  /** Default 30,000. */
  readonly intervalMs?: number;
  /** Default 10,000. */
  readonly timeoutMs?: number;
  /** Networks of one's own that the service may be in, as `10.0.0.0/8`. Default none. */
  readonly allowPrivate?: readonly string[];
}

export interface ParsedDeadman extends DeadmanInput {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly allowPrivate: readonly string[];
}

const between = (least: number, most: number): z.ZodType<number> =>
  z
    .number(must('a number of milliseconds'))
    .min(least, must(`a number of milliseconds from ${least} to ${most}`))
    .max(most, must(`a number of milliseconds from ${least} to ${most}`));

export const deadmanSchema: z.ZodType<ParsedDeadman> = z
  .strictObject(
    {
      url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).exactOptional(),
      urlEnv: text.exactOptional(),
      intervalMs: between(1000, 3_600_000).default(30_000),
      timeoutMs: between(100, 60_000).default(10_000),
      allowPrivate: z.array(text, must('a list of networks, as 10.0.0.0/8')).default([]),
    },
    must('a map with url or urlEnv'),
  )
  .refine((given) => (given.url === undefined) !== (given.urlEnv === undefined), {
    error: 'needs exactly one of url and urlEnv; leave deadman out where nobody is to be pinged',
    params: { drops: ['url'] },
  });
