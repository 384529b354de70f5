import { signingKey } from '../sign/key.ts';
import { secretList } from '../sign/signature.ts';
import { addressJudge, type NetworkPolicy } from './blocked-networks.ts';
import { endpointUrl } from './guard.ts';

/** Where events go. */
export interface EndpointConfig extends NetworkPolicy {
  /** Unique, `[A-Za-z0-9_-]`, at most 64 characters. A metric label: low cardinality. */
  readonly id: string;
  /** `https://...` or `http://...`, without credentials. */
  readonly url: string;
  /** Active `whsec_` secrets or `whsk_` keys; two while one is rotated out. Every attempt is signed with each. */
  readonly secrets: readonly string[];
  /** Only events about these. Without it the endpoint is a default one: told where no endpoint with a match fits. */
  readonly match?: {
    readonly parent?: string;
    readonly conversation?: string;
    readonly agent?: string;
    readonly service?: string;
  };
  /** Event types. Default: `defaultTypes`. */
  readonly types?: readonly string[];
  /** Sent as `authorization: Bearer ...`. */
  readonly bearer?: string;
  /** Default `application/json`: common body parsers leave a +json body empty (n8n 20748). */
  readonly contentType?: 'application/json' | 'application/cloudevents+json';
  /** Told by a plugin: `url` is `plugin:<name>`, there are no secrets, and nothing is signed. Default: a signed POST. */
  readonly plugin?: string;
}

/**
 * Refuses an endpoint that could never be told.
 * @throws GuardError, WebhookError `bad_secret`, or Error that says which field is wrong.
 */
export function checkEndpoint(endpoint: EndpointConfig): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(endpoint.id)) {
    throw new Error(`endpoint id "${endpoint.id.slice(0, 64)}": use 1 to 64 of A-Z a-z 0-9 _ -`);
  }
  endpointUrl(endpoint.url, addressJudge(endpoint));
  for (const secret of secretList(endpoint.secrets)) signingKey(secret);
  if (endpoint.bearer !== undefined && !/^[\x21-\x7e]+$/.test(endpoint.bearer)) {
    throw new Error(
      `endpoint ${endpoint.id}: the bearer token holds a space, a line break or a character beyond ASCII`,
    );
  }
}
