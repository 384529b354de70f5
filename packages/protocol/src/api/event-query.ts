import { z } from 'zod';
import type { WebhookEvent, WebhookEventType } from '../event/document.ts';
import { webhookEvent } from '../event/schema.ts';
import { shownAs } from './shown-as.ts';
import { wholeNumber } from './whole-number.ts';

/** What `GET /v1/events` can be asked for by name; `webhook.test` is about an endpoint and never in the feed. */
export type FeedType = Exclude<WebhookEventType, 'webhook.test'>;

export const feedTypes: readonly FeedType[] = [
  'turn.stale',
  'turn.expired',
  'turn.recovered',
  'request.expired',
  'turn.suspect',
  'source.silent',
];

/** Where no `type` is asked for: what an endpoint without a list gets too. */
export const defaultFeedTypes: readonly FeedType[] = [
  'turn.stale',
  'turn.expired',
  'turn.recovered',
  'request.expired',
];

export interface EventQuery {
  /**
   * Events after this `sequence`. Without it: from the oldest that is kept. `latest`: only what happens from now on.
   */
  readonly after?: number | 'latest';
  /** Seconds to wait for an event where there is none yet, 0 to 60. Default 0. */
  readonly wait: number;
  /** 1 to 1000, default 100. */
  readonly limit: number;
  readonly turn?: string;
  /** Who is told, or for whom it was meant. */
  readonly parent?: string;
  readonly conversation?: string;
  readonly agent?: string;
  /** Default: {@link defaultFeedTypes}. */
  readonly type?: readonly FeedType[];
  /** Also events of turns that somebody else manages (`managedBy`), of which no parent is told. Default false. */
  readonly managed: boolean;
}

const text = z.string().min(1).max(128);
const cursor = shownAs(
  z.union([
    z.literal('latest'),
    z
      .string()
      .regex(/^\d{1,16}$/, 'must be a sequence of up to 16 digits, or "latest"')
      .transform(Number)
      .pipe(z.int()),
  ]),
  {
    type: 'string',
    pattern: '^(0?\\d{1,15}|latest)$',
    description: 'A `nextCursor` or `sequence`, or `latest`',
  },
);

const types = shownAs(
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => (typeof given === 'string' ? given.split(',') : given))
    .pipe(z.array(z.enum(feedTypes, `must be of ${feedTypes.join(', ')}`)).min(1)),
  { type: 'array', minItems: 1, items: { type: 'string', enum: [...feedTypes] } },
);

/** Query of `GET /v1/events`, from strings. `type` may be given more than once, or as a list with commas. */
export const eventQuery: z.ZodType<EventQuery> = z.strictObject({
  after: cursor.exactOptional(),
  wait: wholeNumber(0, 60, 0),
  limit: wholeNumber(1, 1000, 100),
  turn: text.exactOptional(),
  parent: text.exactOptional(),
  conversation: text.exactOptional(),
  agent: text.exactOptional(),
  type: types.exactOptional(),
  managed: shownAs(
    z.union([z.boolean(), z.enum(['true', 'false']).transform((given) => given === 'true')]).default(false),
    { type: 'boolean', default: false },
  ),
});

/** Answer of `GET /v1/events`: the documents as endpoints get them, oldest first. */
export interface EventPage {
  readonly events: readonly WebhookEvent[];
  /** For `?after=`: what was seen, also where nothing of it fitted the query. 16 digits, like `sequence`. */
  readonly nextCursor: string;
  /** The page is full: there may be more at once. */
  readonly more: boolean;
}

export const sequenceText: z.ZodType<string> = z.string().regex(/^\d{16}$/);

export const eventPage: z.ZodType<EventPage> = z.object({
  events: z.array(webhookEvent),
  nextCursor: sequenceText,
  more: z.boolean(),
});
