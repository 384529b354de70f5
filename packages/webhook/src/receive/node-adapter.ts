import type { Answer } from './answer.ts';
import type { Inbox } from './inbox.ts';
import { abortedBody, type NodeRequest, type NodeResponse, nodeBody, tooLargeBody } from './node-request.ts';

/** Answers one node:http or express request, then runs the handler. Resolves when the handler is done; never rejects. */
export async function receiveNode(inbox: Inbox, request: NodeRequest, response: NodeResponse): Promise<void> {
  const answer = await answerTo(inbox, request);
  const gone = new Promise<void>((resolve) => {
    // `close` comes also where the sender has gone away before the answer: the event is accepted all the same.
    response.on('finish', () => resolve());
    response.on('close', () => resolve());
  });
  response.statusCode = answer.status;
  response.setHeader('content-type', 'application/json');
  // The rest of a body that is too large is not worth waiting for.
  if (answer.status === 413) response.setHeader('connection', 'close');
  response.end(answer.body);
  if (answer.afterwards === undefined) return;
  await gone;
  await answer.afterwards();
}

async function answerTo(inbox: Inbox, request: NodeRequest): Promise<Answer> {
  if (request.method !== 'POST') return await inbox.receive(request.method, request.headers, '');
  const body = await nodeBody(request, inbox.maxBodyBytes);
  if (body === tooLargeBody) return inbox.refuseTooLarge();
  if (body === abortedBody) return inbox.refuse('aborted', 'the request ended before its body did');
  return await inbox.receive(request.method, request.headers, body);
}
