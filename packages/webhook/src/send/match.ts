import type { EndpointConfig } from './endpoint.ts';

/** What of an event decides who is told. */
export interface EventTarget {
  readonly type: string;
  /** The turn that is to be told: the parent or its stand-in; null: the default endpoints. */
  readonly recipient?: string | null;
  readonly conversation?: string;
  readonly agent?: string;
  readonly service?: string;
}

/** Sent where an endpoint lists no `types`. `turn.suspect` and `source.silent` are sent on request only. */
export const defaultTypes: readonly string[] = [
  'turn.stale',
  'turn.expired',
  'turn.recovered',
  'request.expired',
  'webhook.test',
];

/**
 * The endpoints to tell: those whose `match` fits in every field it has. Where none of these fits, the defaults: the
 * endpoints without a `match`.
 */
export function endpointsFor(
  target: EventTarget,
  endpoints: readonly EndpointConfig[],
): readonly EndpointConfig[] {
  const listening = endpoints.filter((endpoint) => (endpoint.types ?? defaultTypes).includes(target.type));
  const named = listening.filter((endpoint) => isNamed(endpoint) && fits(endpoint, target));
  return named.length > 0 ? named : listening.filter((endpoint) => !isNamed(endpoint));
}

function isNamed(endpoint: EndpointConfig): boolean {
  return Object.values(endpoint.match ?? {}).some((value) => value !== undefined);
}

function fits({ match = {} }: EndpointConfig, target: EventTarget): boolean {
  return (
    (match.parent === undefined || match.parent === target.recipient) &&
    (match.conversation === undefined || match.conversation === target.conversation) &&
    (match.agent === undefined || match.agent === target.agent) &&
    (match.service === undefined || match.service === target.service)
  );
}
