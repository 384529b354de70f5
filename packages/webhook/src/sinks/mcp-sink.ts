import type { WebhookEvent } from '../receive/events.generated.ts';
import { traceparentOf } from './traceparent.ts';
import { untilAborted } from './until-aborted.ts';
import type { VerdictSink } from './verdict-sink.ts';
import { verdictText } from './verdict-text.ts';

export interface McpNotification {
  readonly method: string;
  readonly params?: Record<string, unknown> | undefined;
}

/** An MCP server that is connected, of either SDK: `server`, or `mcpServer.server`. */
export interface McpPeer {
  /** Resolves when the notification is written. */
  notification(notification: McpNotification): Promise<void>;
}

/** There is no stale status in MCP: a stale task stays `working` and says so. `failed` is for JSON-RPC errors alone. */
export type McpTaskStatus = 'working' | 'cancelled';

/** The task in which a turn runs, as `tasks/get` tells of it. */
export interface McpTask {
  readonly taskId: string;
  /** ISO 8601 */
  readonly createdAt: string;
  /** Milliseconds from its creation; null: for ever. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number;
  /** Id of the `subscriptions/listen` request that asked for news of it: tasks extension of 2026-07-28 only. */
  readonly subscriptionId?: string | number;
}

export interface McpSinkOptions {
  readonly peer: McpPeer;
  /** The task that the event's turn runs in; without one it is told as a log message, which needs `logging`. */
  readonly task?: (event: WebhookEvent) => McpTask | undefined;
  /**
   * Writes the status to your task store, before it is told: a client that polls must be answered the same.
   */
  readonly update?: (taskId: string, status: McpTaskStatus, statusMessage: string) => Promise<void>;
  /**
   * How tasks were negotiated: `extension` (default) is `io.modelcontextprotocol/tasks` of 2026-07-28, which tells by
   * `notifications/tasks`; `experimental` is the form of 2025-11-25, by `notifications/tasks/status`.
   */
  readonly tasks?: 'extension' | 'experimental';
  /** Default `mcp`. */
  readonly name?: string;
}

const levels: Readonly<Record<string, string>> = {
  'turn.stale': 'warning',
  'turn.expired': 'error',
  'request.expired': 'warning',
  'source.silent': 'warning',
};

/**
 * Tells by the status of the MCP task that the turn runs in: stale is `working` with a `statusMessage`, expired is
 * `cancelled`. The whole document is in `_meta["turnwatch/event"]`. Where there is no task: `notifications/message` with
 * logger `turnwatch` and data `{message, event}`.
 */
export function mcpSink(options: McpSinkOptions): VerdictSink {
  const { peer, task: taskOf, update, name = 'mcp' } = options;
  return {
    name,
    deliver: (event, signal) =>
      untilAborted(signal, async () => {
        const task = taskOf?.(event);
        if (task === undefined) {
          await peer.notification(logMessage(event));
          return;
        }
        const status: McpTaskStatus = event.type === 'turn.expired' ? 'cancelled' : 'working';
        await update?.(task.taskId, status, verdictText(event));
        signal.throwIfAborted();
        await peer.notification(taskStatus(event, task, status, options.tasks ?? 'extension'));
      }),
  };
}

function taskStatus(
  event: WebhookEvent,
  { taskId, createdAt, ttlMs, pollIntervalMs, subscriptionId }: McpTask,
  status: McpTaskStatus,
  form: 'extension' | 'experimental',
): McpNotification {
  const experimental = form === 'experimental';
  return {
    method: experimental ? 'notifications/tasks/status' : 'notifications/tasks',
    params: {
      taskId,
      status,
      statusMessage: verdictText(event),
      createdAt,
      lastUpdatedAt: event.time,
      [experimental ? 'ttl' : 'ttlMs']: ttlMs,
      ...(pollIntervalMs === undefined
        ? {}
        : { [experimental ? 'pollInterval' : 'pollIntervalMs']: pollIntervalMs }),
      _meta: {
        ...(subscriptionId === undefined ? {} : { 'io.modelcontextprotocol/subscriptionId': subscriptionId }),
        ...metaOf(event),
        'turnwatch/event': event,
      },
    },
  };
}

function logMessage(event: WebhookEvent): McpNotification {
  return {
    method: 'notifications/message',
    params: {
      level: levels[event.type] ?? 'notice',
      logger: 'turnwatch',
      data: { message: verdictText(event), event },
      _meta: metaOf(event),
    },
  };
}

function metaOf(event: WebhookEvent): { traceparent: string } {
  return { traceparent: traceparentOf(event) };
}
