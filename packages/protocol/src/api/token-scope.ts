/**
 * What a bearer token may do. `ingest`: send records. `read`: turns, events, deliveries, baselines, metrics.
 * `subscribe`: events and endpoints. `operate`: acknowledge, mute and close turns, set their thresholds, exclude gaps from
 * what was learned, read the audit. `admin`: all.
 */
export const tokenScopes = ['ingest', 'read', 'subscribe', 'operate', 'admin'] as const;
export type TokenScope = (typeof tokenScopes)[number];
