import { DeliveryFailure, definePlugin } from '@turnwatch/plugin';
import { messageOf } from './message.js';
import { optionsSchema } from './options.js';

/**
 * Posts verdicts to a Slack incoming webhook. The address of such a webhook is its own secret, so it comes from a
 * variable and is never written anywhere.
 */
export const plugin = definePlugin({
  apiVersion: 1,
  kind: 'sink',
  name: 'slack',
  optionsSchema,
  create({ urlEnv, mention }, host) {
    const url = checkedUrl(host.secret(urlEnv), urlEnv);
    return {
      async deliver(event, { signal }) {
        const answer = await host.fetch(url, {
          headers: { 'content-type': 'application/json; charset=utf-8' },
          body: JSON.stringify(messageOf(event, mention)),
          signal,
          maxBytes: 1024,
        });
        if (answer.status === 200) return;
        throw refusalOf(answer);
      },
    };
  },
});

/**
 * @param {string} text
 * @param {string} variable
 */
function checkedUrl(text, variable) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const local = url?.hostname === '127.0.0.1' || url?.hostname === 'localhost';
  // The message names the variable and not its value: this error stands in a log.
  if (url === undefined || (url.protocol !== 'https:' && !local))
    throw new Error(
      `the variable ${variable} must hold an https address, as https://hooks.slack.com/services/...`,
    );
  return url;
}

/**
 * Slack says what is wrong in one word (`invalid_payload`, `channel_is_archived`, `no_service`). A message that it cannot
 * read stays one; everything else may be mended while the detector tries again.
 *
 * @param {{ status: number, headers: Readonly<Record<string, string>>, body: string }} answer
 */
function refusalOf({ status, headers, body }) {
  const word = /^[a-z_]{1,40}$/.exec(body.trim())?.[0] ?? '';
  const seconds = Number(headers['retry-after']);
  return new DeliveryFailure(`Slack answered ${status}${word === '' ? '' : `: ${word}`}`, {
    status,
    permanent: status === 400,
    ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}),
  });
}
