import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { addressJudge, type NetworkPolicy } from '../send/blocked-networks.ts';
import { endpointUrl, guardedLookup } from '../send/guard.ts';

/**
 * One POST to a URL that somebody else chose: private addresses are refused at parse and at connect, redirects are not
 * followed, and of the answer the status alone is taken.
 * @throws GuardError where the URL may not be dialled; what node threw where no answer came
 */
export async function guardedPost(
  to: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  network: NetworkPolicy,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  const judge = addressJudge(network);
  const url = endpointUrl(to, judge);
  const bytes = Buffer.from(body, 'utf8');
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = open(url, {
      method: 'POST',
      agent: false,
      lookup: guardedLookup(judge),
      headers: { ...headers, 'content-length': String(bytes.length) },
    });
    const abort = (): void => {
      outgoing.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    outgoing.once('close', () => signal.removeEventListener('abort', abort));
    outgoing.on('error', reject);
    outgoing.once('response', (answer) => {
      resolve(answer.statusCode ?? 0);
      // Its body may be endless, and nobody wants it.
      answer.destroy();
    });
    outgoing.end(bytes);
  });
}
