import type { ServerResponse } from 'node:http';

/** Why the tap itself answers, in the shape that clients of model APIs show to people. */
export interface Refusal {
  readonly status: number;
  readonly code:
    | 'TURNWATCH_ERR_TAP_UPSTREAM'
    | 'TURNWATCH_ERR_TAP_REQUEST'
    | 'TURNWATCH_ERR_TAP_UPGRADE'
    | 'TURNWATCH_ERR_TAP_LOOP';
  readonly message: string;
}

export function refusalBody({ code, message }: Refusal): string {
  return `${JSON.stringify({ error: { message, type: 'turnwatch_tap', code } })}\n`;
}

export function refuse(response: ServerResponse, refusal: Refusal): void {
  const body = refusalBody(refusal);
  response.writeHead(refusal.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-turnwatch-tap': refusal.code,
  });
  response.end(body);
}

/** What is said of an upstream that could not be reached. */
export function upstreamRefusal(upstream: URL, error: Error & { code?: string }): Refusal {
  const why = error.code === undefined ? error.message : `${error.code}: ${error.message}`;
  return {
    status: 502,
    code: 'TURNWATCH_ERR_TAP_UPSTREAM',
    message: `turnwatch tap could not get an answer from ${upstream.origin} (${why})`,
  };
}
