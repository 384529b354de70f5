import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { GuardedAnswer, GuardedRequest } from '@turnwatch/plugin';
import { addressJudge, endpointUrl, guardedLookup, type NetworkPolicy } from '@turnwatch/webhook/send';

const defaultMaxBytes = 1024 * 1024;

/**
 * One request for a plugin, with the guard of webhooks: private addresses are refused at parse and at connect, redirects
 * are not followed, and the answer is read up to a bound.
 * @throws GuardError where the address may not be dialled; the reason of the signal; what node threw
 */
export async function guardedFetch(
  to: string | URL,
  init: GuardedRequest,
  network: NetworkPolicy,
  stopping: AbortSignal,
): Promise<GuardedAnswer> {
  const signal = init.signal === undefined ? stopping : AbortSignal.any([init.signal, stopping]);
  signal.throwIfAborted();
  const judge = addressJudge(network);
  const url = endpointUrl(String(to), judge);
  const body = init.body === undefined ? undefined : Buffer.from(init.body, 'utf8');
  const method = init.method ?? (body === undefined ? 'GET' : 'POST');
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = open(url, {
      method,
      agent: false,
      lookup: guardedLookup(judge),
      headers: {
        ...init.headers,
        ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      },
    });
    const abort = (): void => {
      reject(signal.reason);
      outgoing.destroy();
    };
    signal.addEventListener('abort', abort, { once: true });
    outgoing.once('close', () => signal.removeEventListener('abort', abort));
    outgoing.on('error', reject);
    outgoing.once('response', (answer) =>
      read(answer, init.maxBytes ?? defaultMaxBytes).then(
        (text) => resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer), body: text }),
        reject,
      ),
    );
    outgoing.end(body);
  });
}

function read(answer: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (): void => resolve(Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8'));
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes < maxBytes) return;
      finish();
      answer.destroy();
    });
    answer.once('end', finish);
    answer.once('error', reject);
  });
}

function headersOf(answer: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
