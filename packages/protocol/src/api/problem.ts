import { z } from 'zod';

/** An error answer (RFC 9457), served as `application/problem+json`. */
export interface Problem {
  /** A URI that names the kind of error; `about:blank` where the status says it all. */
  readonly type: string;
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** What, where and how to mend it. */
  readonly detail?: string;
  readonly instance?: string;
  /** Stable, documented, `TURNWATCH_ERR_...`. */
  readonly code?: string;
  /** What is wrong in the request, place by place. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export const problemContentType = 'application/problem+json';

export const problem: z.ZodType<Problem> = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string().exactOptional(),
  instance: z.string().exactOptional(),
  code: z
    .string()
    .regex(/^TURNWATCH_ERR_[A-Z0-9_]+$/)
    .exactOptional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).exactOptional(),
});
