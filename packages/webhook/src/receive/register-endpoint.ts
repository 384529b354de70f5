import { generateSecret } from '../sign/secret.ts';
import { callDetector, type DetectorAddress, DetectorError } from './detector-client.ts';

export interface RegisterOptions extends DetectorAddress {
  /** The name that this agent's turns carry as `parentId`. */
  readonly parent: string;
  /** Where this agent receives events. */
  readonly url: string;
  /**
   * `whsec_...`. Default: a new one with each call. Several processes behind one address must hand over the same.
   */
  readonly secret?: string;
  /** Default: `turn.stale`, `turn.expired`, `turn.recovered`, `request.expired`. */
  readonly types?: readonly string[];
}

export interface RegisteredEndpoint {
  readonly id: string;
  /** For `createReceiver`. */
  readonly secret: string;
  /** Takes the endpoint back: what still waits for it becomes dead letters. Leave it out where the agent comes back soon. */
  close(): Promise<void>;
}

/**
 * Tells the detector where this agent wants to be woken. The same parent and address again is the same endpoint: call
 * it at each start. With another secret the one before signs on beside it for 24 h, so that nothing in flight is refused.
 * @throws DetectorError where it refuses; what fetch throws where it cannot be reached
 */
export async function registerEndpoint(options: RegisterOptions): Promise<RegisteredEndpoint> {
  const { parent, url, secret = generateSecret(), types } = options;
  const answer = await callDetector(options, 'POST', 'v1/endpoints', {
    url,
    secret,
    match: { parent },
    ...(types === undefined ? {} : { types }),
  });
  const { id } = (answer.endpoint ?? {}) as { id?: unknown };
  if (typeof id !== 'string')
    throw new Error(`${options.detector} answered with no endpoint: is it a Turnwatch detector?`);
  return {
    id,
    secret,
    close: async () => {
      try {
        await callDetector(options, 'DELETE', `v1/endpoints/${encodeURIComponent(id)}`);
      } catch (error) {
        // Gone already: that is what was wanted.
        if (!(error instanceof DetectorError) || error.status !== 404) throw error;
      }
    },
  };
}
