/** Types an endpoint can list; without a list it gets the webhook package's `defaultTypes`. */
export const eventTypes = [
  'turn.stale',
  'turn.expired',
  'turn.recovered',
  'request.expired',
  'turn.suspect',
  'source.silent',
  'webhook.test',
] as const;
export type EventType = (typeof eventTypes)[number];
