import { z } from 'zod';
import { must, text } from './words.ts';

/** A way of records to the detector that has something in between, as a Collector. */
export interface CanaryRouteInput {
  /** Its name, as the Collector sends it in the header `turnwatch-path`. */
  readonly path: string;
  /** Where the way begins, for agents: `http://collector:4318`. `/v1/logs` is appended where it is not there. */
  readonly url: string;
  /** What the beginning asks for, as `{ x-scope-orgid: agents }`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly bearer?: string;
  readonly bearerEnv?: string;
}

/** The name of a path: a metric label, and a word of the configuration. */
export const pathName: z.ZodType<string> = z
  .string(must('a name'))
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, must('a name of 1 to 64 letters, digits, ".", "_" or "-"'))
  .refine((name) => name !== 'direct', must('another name; "direct" is the way that needs no setting'));

const headers = z.record(
  z.string().regex(/^[a-z0-9-]{1,64}$/i, must('a header name')),
  z.string(must('a text')).regex(/^[\x20-\x7e]*$/, must('ASCII without line breaks')),
  must('a map of header names to texts'),
);

export const canaryRouteSchema: z.ZodType<CanaryRouteInput> = z
  .strictObject(
    {
      path: pathName,
      url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
      headers: headers.exactOptional(),
      bearer: text.exactOptional(),
      bearerEnv: text.exactOptional(),
    },
    must('a map with at least path and url'),
  )
  .refine((given) => given.bearer === undefined || given.bearerEnv === undefined, {
    error: 'takes bearer or bearerEnv, not both',
    params: { drops: ['bearer', 'bearerEnv'] },
  });
