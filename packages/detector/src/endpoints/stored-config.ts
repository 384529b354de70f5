import { checkEndpoint, type EndpointConfig, type NetworkPolicy } from '@turnwatch/webhook/send';
import type { StoredEndpoint } from '../store/stored-endpoint.ts';
import { EndpointError } from './endpoint-error.ts';

/** A registered endpoint as the sender takes it. */
export function activeConfig(endpoint: StoredEndpoint, network: NetworkPolicy): EndpointConfig {
  const { id, url, match, secrets, types, bearer, contentType } = endpoint;
  return {
    id,
    url,
    secrets: secrets.map(({ secret }) => secret),
    ...network,
    ...(Object.keys(match).length === 0 ? {} : { match }),
    ...(types === undefined ? {} : { types }),
    ...(bearer === undefined ? {} : { bearer }),
    ...(contentType === undefined ? {} : { contentType }),
  };
}

/** @throws EndpointError where the endpoint could never be told: its address is refused, its secret is none. */
export function checkStored(endpoint: StoredEndpoint, network: NetworkPolicy): void {
  try {
    checkEndpoint(activeConfig(endpoint, network));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // The guard speaks of the endpoint's own setting, which the API has not: the operator's is meant.
    const message = error.message
      .replace('set allowLoopback: true when', 'set detector.webhook.allowLoopback: true where')
      .replace(
        /list the network in allowPrivate/,
        'the operator lists the network in detector.webhook.allowPrivate',
      );
    throw new EndpointError('TURNWATCH_ERR_ENDPOINT_REFUSED', message, error);
  }
}
