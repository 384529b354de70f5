import type { WebhookEvent } from '../receive/events.generated.ts';
import type { NetworkPolicy } from '../send/blocked-networks.ts';
import { guardedPost } from './guarded-post.ts';
import { SinkError } from './sink-error.ts';
import { traceparentOf } from './traceparent.ts';
import { untilAborted } from './until-aborted.ts';
import type { VerdictSink } from './verdict-sink.ts';
import { quoted, verdictText } from './verdict-text.ts';

/** A task's push notification config (`TaskPushNotificationConfig` of A2A 1.0) with the context that the task is in. */
export interface A2aTarget {
  readonly taskId: string;
  readonly contextId: string;
  readonly url: string;
  /** Sent as `authorization: <scheme> <credentials>`. */
  readonly authentication?: { readonly scheme: string; readonly credentials: string } | undefined;
  /** Older configs: sent as `x-a2a-notification-token` where there is no `authentication`. */
  readonly token?: string | undefined;
}

export interface A2aSinkOptions {
  /** The push configs of the task that the event's turn runs in; empty where it runs in none. */
  readonly targets: (event: WebhookEvent) => readonly A2aTarget[] | Promise<readonly A2aTarget[]>;
  /** Clients choose these URLs, so private and loopback addresses are refused. Default: only public ones are allowed. */
  readonly network?: NetworkPolicy;
  /** How a POST is made and its status had. Default: node's own, behind the guard of `network`. */
  readonly post?: A2aPost;
  /** Default `a2a`. */
  readonly name?: string;
}

/** Must follow no redirect, and reject with the signal's reason when that fires. */
export type A2aPost = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<number>;

/**
 * Tells by A2A push notification: POST of `{statusUpdate}`, `application/a2a+json`. A2A has no stale state, so stale is
 * `TASK_STATE_WORKING` with a status message; expired is `TASK_STATE_CANCELED`. The whole document is in
 * `metadata["urn:turnwatch:event"]`. All targets are tried; any refusal rejects, and a repeated delivery tells all of
 * them again: the message id stays, clients drop doubles by it.
 */
export function a2aSink({
  targets,
  network = {},
  name = 'a2a',
  post = (url, headers, body, signal) => guardedPost(url, headers, body, network, signal),
}: A2aSinkOptions): VerdictSink {
  return {
    name,
    async deliver(event, signal) {
      const found = await untilAborted(signal, async () => targets(event));
      if (found.length === 0)
        throw new SinkError(
          'no_target',
          `${event.type} ${event.id}: its turn runs in no A2A task with a push config`,
        );
      const results = await Promise.allSettled(found.map((target) => push(event, target, post, signal)));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
  };
}

async function push(
  event: WebhookEvent,
  target: A2aTarget,
  post: A2aPost,
  signal: AbortSignal,
): Promise<void> {
  const headers = {
    'content-type': 'application/a2a+json',
    traceparent: traceparentOf(event),
    ...authorization(target),
  };
  const body = JSON.stringify({ statusUpdate: statusUpdate(event, target) });
  const status = await post(target.url, headers, body, signal);
  if (status >= 200 && status < 300) return;
  const mend =
    status >= 300 && status < 400 ? '; redirects are not followed: give the URL it redirects to' : '';
  throw new SinkError(
    'refused',
    `the push URL of task ${quoted(target.taskId)} answered ${status}${mend}`,
    status,
  );
}

function statusUpdate(event: WebhookEvent, { taskId, contextId }: A2aTarget): Record<string, unknown> {
  return {
    taskId,
    contextId,
    status: {
      state: event.type === 'turn.expired' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_WORKING',
      message: {
        messageId: event.id,
        contextId,
        taskId,
        role: 'ROLE_AGENT',
        parts: [{ text: verdictText(event), mediaType: 'text/plain' }],
      },
      timestamp: event.time,
    },
    metadata: { 'urn:turnwatch:event': event },
  };
}

function authorization({ authentication, token }: A2aTarget): Record<string, string> {
  if (authentication !== undefined)
    return { authorization: `${authentication.scheme} ${authentication.credentials}` };
  return token === undefined || token === '' ? {} : { 'x-a2a-notification-token': token };
}
