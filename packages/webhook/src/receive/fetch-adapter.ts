import type { Inbox } from './inbox.ts';
import { concat } from './node-request.ts';

/** What a platform hands over that stops a process after its answer (Workers' `ctx`, Next's `after` wrapped). */
export interface FetchContext {
  waitUntil(promise: Promise<unknown>): void;
}

/** Answers one fetch-style Request; the handler starts after the Response has been handed back. */
export async function receiveFetch(
  inbox: Inbox,
  request: Request,
  context?: FetchContext,
): Promise<Response> {
  const body = await fetchBody(request, inbox.maxBodyBytes);
  const answer =
    body === undefined ? inbox.refuseTooLarge() : await inbox.receive(request.method, request.headers, body);
  const { afterwards } = answer;
  if (afterwards !== undefined) {
    // A task of its own: whoever awaits this Response gets it first.
    const done = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(afterwards);
    context?.waitUntil(done);
  }
  return new Response(answer.body, {
    status: answer.status,
    headers: { 'content-type': 'application/json' },
  });
}

/** Undefined: too large. A body that somebody has read already is handed on as null, which `verify` refuses. */
async function fetchBody(request: Request, maxBytes: number): Promise<Uint8Array | undefined | null> {
  if (request.bodyUsed) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the stream.
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return concat(chunks, bytes);
}
