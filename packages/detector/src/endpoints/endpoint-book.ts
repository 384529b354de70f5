import { createHash } from 'node:crypto';
import type { EndpointRegistration, SecretRotation } from '@turnwatch/protocol';
import type { DeliveryError, EndpointConfig, NetworkPolicy } from '@turnwatch/webhook/send';
import { generateSecret } from '@turnwatch/webhook/sign';
import type { StoredEndpoint, StoredSecret } from '../store/stored-endpoint.ts';
import type { TurnStore } from '../store/turn-store.ts';
import { EndpointError } from './endpoint-error.ts';
import { activeConfig, checkStored } from './stored-config.ts';

/** Of the API and the configuration together: each has a lane of its own, which costs a look at the store. */
const maxEndpoints = 5000;
/** Secrets that sign at once. A parent that makes a new one with each of its restarts must not grow the header for ever. */
const maxSecrets = 5;
/** How long the secret before goes on signing where a registration is repeated with another one. */
const reregisteredOverlapMs = 24 * 3_600_000;

export interface EndpointBookOptions {
  readonly configured: readonly EndpointConfig[];
  readonly store: TurnStore;
  /** What endpoints registered by the API may dial beside the public internet: the operator's word, never theirs. */
  readonly network: NetworkPolicy;
  readonly wallMs: () => number;
  /** The endpoints that are to be told changed. */
  readonly onChange: (endpoints: readonly EndpointConfig[]) => void;
}

export type KnownEndpoint =
  | { readonly source: 'config'; readonly config: EndpointConfig }
  | { readonly source: 'api'; readonly config: EndpointConfig; readonly stored: StoredEndpoint };

export interface Registered {
  readonly endpoint: KnownEndpoint;
  readonly created: boolean;
  /** Where it was made here: told this once. */
  readonly secret?: string;
}

/** Who can be told: the endpoints of the configuration, and those that were registered by the API and outlive a restart. */
export class EndpointBook {
  readonly #options: EndpointBookOptions;
  #stored: Map<string, StoredEndpoint> = new Map();
  #configured: readonly EndpointConfig[];
  #network: NetworkPolicy;
  #current: readonly EndpointConfig[] = [];

  constructor(options: EndpointBookOptions) {
    this.#options = options;
    this.#configured = options.configured;
    this.#network = options.network;
    this.#load();
  }

  /**
   * Another configuration: its endpoints, and what those of the API may dial.
   * @throws whatever the store throws; nothing has changed then
   */
  configure(configured: readonly EndpointConfig[], network: NetworkPolicy): void {
    const before = { configured: this.#configured, network: this.#network };
    try {
      this.#configured = configured;
      this.#network = network;
      this.#load();
      this.#options.onChange(this.#current);
    } catch (error) {
      this.#configured = before.configured;
      this.#network = before.network;
      throw error;
    }
  }

  get current(): readonly EndpointConfig[] {
    return this.#current;
  }

  list(): readonly KnownEndpoint[] {
    return this.#current.map((config) => this.#known(config));
  }

  get(id: string): KnownEndpoint | undefined {
    const config = this.#current.find((endpoint) => endpoint.id === id);
    return config === undefined ? undefined : this.#known(config);
  }

  /**
   * Registers, or repeats a registration: `match` and `url` say which endpoint it is.
   * @throws EndpointError; whatever the store throws, nothing has changed then.
   */
  register(given: EndpointRegistration): Registered {
    const { match = {}, url } = given;
    const id = given.id ?? derivedId(given);
    const before = this.#sameAs(given) ?? this.#stored.get(id);
    this.#checkPlace(given, id, before);
    const nowMs = this.#options.wallMs();
    const made = given.secret === undefined ? generateSecret() : undefined;
    const secret = given.secret ?? made ?? '';
    const endpoint: StoredEndpoint = {
      id: before?.id ?? id,
      url,
      match,
      secrets: rotated(before?.secrets ?? [], secret, nowMs, reregisteredOverlapMs),
      createdAtMs: before?.createdAtMs ?? nowMs,
      ...(given.types === undefined ? {} : { types: given.types }),
      ...(given.bearer === undefined ? {} : { bearer: given.bearer }),
      ...(given.contentType === undefined ? {} : { contentType: given.contentType }),
    };
    this.#keep(endpoint);
    return {
      endpoint: this.#knownStored(endpoint),
      created: before === undefined,
      ...(made === undefined ? {} : { secret: made }),
    };
  }

  /** @throws EndpointError */
  rotate(id: string, { secret: given, overlapMs }: SecretRotation): Registered {
    const before = this.#own(id);
    const secret = given ?? generateSecret();
    const secrets = rotated(before.secrets, secret, this.#options.wallMs(), overlapMs);
    const endpoint = { ...before, secrets };
    this.#keep(endpoint);
    return {
      endpoint: this.#knownStored(endpoint),
      created: false,
      ...(given === undefined ? { secret } : {}),
    };
  }

  /**
   * What waits for it becomes dead letters, with the reason. Returns how many.
   * @throws EndpointError
   */
  remove(id: string): number {
    this.#own(id);
    const error: DeliveryError = {
      code: 'endpoint_removed',
      message: 'the endpoint was removed by the API before the event was delivered',
    };
    const dead = this.#options.store.dropEndpoint(id, error);
    this.#stored.delete(id);
    this.#changed();
    return dead;
  }

  /** Secrets whose overlap has ended sign no more, and are forgotten. */
  tick(): void {
    const nowMs = this.#options.wallMs();
    for (const endpoint of [...this.#stored.values()]) {
      const secrets = endpoint.secrets.filter((secret) => isActive(secret, nowMs));
      if (secrets.length < endpoint.secrets.length) this.#keep({ ...endpoint, secrets });
    }
  }

  #load(): void {
    const taken = new Set(this.#configured.map(({ id }) => id));
    // A configured endpoint of the same name takes the place of the registered one.
    this.#stored = new Map(
      this.#options.store
        .endpoints()
        .filter(({ id }) => !taken.has(id))
        .map((endpoint) => [endpoint.id, endpoint]),
    );
    this.#rebuild();
  }

  #own(id: string): StoredEndpoint {
    const stored = this.#stored.get(id);
    if (stored !== undefined) return stored;
    if (this.#configured.some((endpoint) => endpoint.id === id))
      throw new EndpointError(
        'TURNWATCH_ERR_ENDPOINT_READ_ONLY',
        `"${id}" stands in the configuration; change it there`,
      );
    throw new EndpointError('TURNWATCH_ERR_UNKNOWN_ENDPOINT', `there is no endpoint "${id.slice(0, 64)}"`);
  }

  #sameAs({ match = {}, url }: EndpointRegistration): StoredEndpoint | undefined {
    const key = identityOf(match, url);
    for (const endpoint of this.#stored.values())
      if (identityOf(endpoint.match, endpoint.url) === key) return endpoint;
    return undefined;
  }

  #checkPlace(given: EndpointRegistration, id: string, before: StoredEndpoint | undefined): void {
    if (this.#configured.some((endpoint) => endpoint.id === id))
      throw new EndpointError(
        'TURNWATCH_ERR_ENDPOINT_READ_ONLY',
        `"${id}" stands in the configuration; choose another id`,
      );
    if (before === undefined) {
      if (this.#current.length >= maxEndpoints)
        throw new EndpointError(
          'TURNWATCH_ERR_TOO_MANY_ENDPOINTS',
          `there are ${maxEndpoints} endpoints already; delete those whose parents are gone`,
        );
      return;
    }
    const same = identityOf(before.match, before.url) === identityOf(given.match ?? {}, given.url);
    if (!same || (given.id !== undefined && given.id !== before.id))
      throw new EndpointError(
        'TURNWATCH_ERR_ENDPOINT_EXISTS',
        same
          ? `this match and url are registered as "${before.id}" already; leave out id, or delete that one`
          : `"${id}" is another endpoint already; choose another id, or delete that one`,
      );
  }

  #keep(endpoint: StoredEndpoint): void {
    checkStored(endpoint, this.#network);
    this.#options.store.saveEndpoint(endpoint);
    this.#stored.set(endpoint.id, endpoint);
    this.#changed();
  }

  #changed(): void {
    this.#rebuild();
    this.#options.onChange(this.#current);
  }

  #rebuild(): void {
    const registered = [...this.#stored.values()].map((endpoint) => activeConfig(endpoint, this.#network));
    this.#current = [...this.#configured, ...registered];
  }

  #known(config: EndpointConfig): KnownEndpoint {
    const stored = this.#stored.get(config.id);
    return stored === undefined ? { source: 'config', config } : { source: 'api', config, stored };
  }

  #knownStored(stored: StoredEndpoint): KnownEndpoint {
    return { source: 'api', stored, config: activeConfig(stored, this.#network) };
  }
}

function isActive({ untilMs }: StoredSecret, nowMs: number): boolean {
  return untilMs === null || untilMs > nowMs;
}

/** The new secret first; those before sign until the overlap ends, never longer than they would have anyway. */
function rotated(
  before: readonly StoredSecret[],
  secret: string,
  nowMs: number,
  overlapMs: number,
): readonly StoredSecret[] {
  const older = before
    .filter((one) => one.secret !== secret && isActive(one, nowMs))
    .map((one) => ({ ...one, untilMs: Math.min(one.untilMs ?? Number.MAX_SAFE_INTEGER, nowMs + overlapMs) }))
    .filter((one) => isActive(one, nowMs));
  return [{ secret, untilMs: null }, ...older].slice(0, maxSecrets);
}

function identityOf(match: EndpointRegistration['match'], url: string): string {
  const { parent, conversation, agent, service } = match ?? {};
  return JSON.stringify([parent, conversation, agent, service, url]);
}

function derivedId({ match, url }: EndpointRegistration): string {
  return `ep_${createHash('sha256').update(identityOf(match, url)).digest('hex').slice(0, 20)}`;
}
