import { type Failure, failure } from './failure.ts';
import type { PostAnswer } from './post.ts';
import { retryAfterMs } from './retry-after.ts';

/** Undefined: delivered. Every failure but `gone` is retried, all other 4xx too: a wrong secret for ten minutes must not lose events. */
export function judgeAnswer(answer: PostAnswer, nowMs: number): Failure | undefined {
  const { status } = answer;
  if (answer.failure !== undefined) return answer.failure;
  if (status >= 200 && status < 300) return undefined;
  const said = answer.excerpt ? `: ${answer.excerpt}` : '';
  if (status >= 300 && status < 400) {
    return failure('redirect', `answered ${status}: redirects are not followed, enter the final URL`, {
      status,
    });
  }
  if (status === 410) {
    return failure('gone', 'answered 410: the endpoint is disabled until an operator enables it', { status });
  }
  if (status === 429 || status === 503) {
    const wait = retryAfterMs(answer.retryAfter, nowMs);
    const more = wait === undefined ? { status } : { status, retryAfterMs: wait };
    return failure(status === 429 ? 'throttled' : 'server_error', `answered ${status}${said}`, more);
  }
  if (status >= 400 && status < 500) return failure('client_error', `answered ${status}${said}`, { status });
  if (status >= 500) return failure('server_error', `answered ${status}${said}`, { status });
  return failure('unexpected_status', `answered ${status}`, { status });
}
