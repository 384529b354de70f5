import { z } from 'zod';

/** An error answer (RFC 9457), served as `application/problem+json`. */
export interface Problem {
  /** Leads to what is said about `code`: `/errors#CODE` of the detector itself. */
  readonly type: string;
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** What, where and how to mend it. */
  readonly detail?: string;
  /** `urn:turnwatch:request:` and `requestId`. */
  readonly instance?: string;
  /** Stable, documented, `TURNWATCH_ERR_...`. */
  readonly code?: string;
  /** As in the header `x-request-id` and in the detector's log. */
  readonly requestId?: string;
  /** What is wrong in the request, place by place. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export const problemContentType = 'application/problem+json';

export const problem: z.ZodType<Problem> = z.object({
  type: z.string().describe('A URI reference that leads to what is said about the code'),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string().exactOptional().describe('What is wrong with this request, and how to mend it'),
  instance: z.string().exactOptional(),
  code: z
    .string()
    .regex(/^TURNWATCH_ERR_[A-Z0-9_]+$/)
    .exactOptional(),
  requestId: z.string().exactOptional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).exactOptional(),
});
