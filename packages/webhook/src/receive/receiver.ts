import { type CatchUpOptions, type CaughtUp, catchUp } from './catch-up.ts';
import { type FetchContext, receiveFetch } from './fetch-adapter.ts';
import { Inbox } from './inbox.ts';
import { receiveNode } from './node-adapter.ts';
import type { NodeRequest, NodeResponse } from './node-request.ts';
import type { ReceiverOptions, ReceiverStats } from './receiver-options.ts';

export interface Receiver {
  /**
   * Middleware for express: `app.post('/turnwatch', receiver.express())`, before `express.json()` or with
   * `express.raw({ type: () => true })` on the route. A parsed body is answered with 400 and how to mend it.
   */
  express(): (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /** For Hono, Next, Workers, Deno, Bun. The context's `waitUntil` is needed where a process stops after its answer. */
  fetch(request: Request, context?: FetchContext): Promise<Response>;
  /** For node:http: `createServer(receiver.node)`. Resolves when the handler is done; never rejects. */
  node(request: NodeRequest, response: NodeResponse): Promise<void>;
  /**
   * Reads what was told while this agent was away from the detector's feed and hands it to the same handlers, doubles
   * and outdated events left out. For a parent without a store; call it at the start.
   * @throws DetectorError where the detector refuses, or what fetch throws where it cannot be reached
   */
  catchUp(options: CatchUpOptions): Promise<CaughtUp>;
  /** Resolves when what the process before had accepted and not handled has been handled; gives how many those were. */
  recovered(): Promise<number>;
  stats(): ReceiverStats;
}

/**
 * Receives Turnwatch events: verifies, drops doubles and late older events, answers 202, then runs the handler.
 * @throws WebhookError `bad_secret`
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const inbox = new Inbox(options);
  const node = (request: NodeRequest, response: NodeResponse): Promise<void> =>
    receiveNode(inbox, request, response);
  return {
    express: () => node,
    node,
    fetch: (request, context) => receiveFetch(inbox, request, context),
    catchUp: (from) => catchUp(inbox, from),
    recovered: () => inbox.recovered(),
    stats: () => inbox.stats(),
  };
}
