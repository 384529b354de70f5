import { makePolicy, PolicyError, type PolicyInput } from '@turnwatch/core';
import {
  type AddressJudge,
  addressJudge,
  checkEndpoint,
  type EndpointConfig,
  endpointUrl,
} from '@turnwatch/webhook/send';
import { sha256, type TokenConfig } from '../access/tokens.ts';
import { isLoopbackHost } from '../http/loopback.ts';
import type { CanaryRouteInput } from './canary-schema.ts';
import type { ParsedDeadman } from './deadman-schema.ts';
import type { EndpointInput } from './endpoint-schema.ts';
import type { Findings } from './findings.ts';
import type { PluginStoreInput } from './plugin-schema.ts';
import { standInSecret } from './salvage.ts';
import type { Entries, ParsedFile } from './schema.ts';
import type { CanaryRoute, DeadmanConfig, DetectorConfig, PluginConfig } from './shape.ts';
import { shortestToken, type TokenInput } from './token-schema.ts';

type Path = readonly PropertyKey[];

/**
 * Looks up the secrets and checks what no schema can: the result is the configuration, if `findings` has no problems after it.
 */
export function complete(
  { detector }: ParsedFile,
  findings: Findings,
  directoryOf: (path: Path) => string,
): DetectorConfig {
  const { deadman, ...rest } = detector;
  const { host, allowRemote } = detector.listen;
  const allowLoopback = detector.webhook.allowLoopback ?? isLoopbackHost(host);
  const endpoints = endpointsOf(detector.endpoints, allowLoopback, findings);
  findings.unique(idsOf(detector.endpoints, ['detector', 'endpoints'], 'id'), 'endpoint');
  const tokens = entriesOf(detector.tokens, ['detector', 'tokens'], (given, at) =>
    tokenOf(given, at, findings),
  );
  findings.unique(idsOf(detector.tokens, ['detector', 'tokens'], 'id'), 'token');
  findings.attempt(['detector', 'webhook', 'allowPrivate'], () =>
    addressJudge({ allowPrivate: detector.webhook.allowPrivate }),
  );
  const routes = entriesOf(detector.canary.routes, ['detector', 'canary', 'routes'], (given, at) =>
    routeOf(given, at, findings),
  );
  findings.unique(idsOf(detector.canary.routes, ['detector', 'canary', 'routes'], 'path'), 'route');
  const pinged = deadman === undefined ? {} : { deadman: deadmanOf(deadman, allowLoopback, findings) };
  if (!isLoopbackHost(host) && !allowRemote && detector.tokens.length === 0)
    findings.add(
      ['detector', 'listen', 'host'],
      `${host} can be reached from other machines, and no tokens keep them out; configure detector.tokens, ` +
        'use 127.0.0.1, or set detector.listen.allowRemote: true where the network itself is trusted',
    );
  checkPolicy(detector.policy, findings);
  const plugins = detector.plugins.flatMap((given, index): PluginConfig[] => {
    if (given === undefined) return [];
    const at = ['detector', 'plugins', index];
    findings.attempt([...at, 'allowPrivate'], () => addressJudge({ allowPrivate: given.allowPrivate ?? [] }));
    return [{ ...given, index, directory: directoryOf(at) }];
  });
  return {
    ...rest,
    endpoints,
    tokens,
    webhook: { allowLoopback, allowPrivate: detector.webhook.allowPrivate },
    canary: { routes },
    plugins,
    store: isPluginStore(detector.store)
      ? { ...detector.store, directory: directoryOf(['detector', 'store']) }
      : detector.store,
    ...pinged,
  };
}

function isPluginStore(store: ParsedFile['detector']['store']): store is PluginStoreInput {
  return store !== 'memory' && 'plugin' in store;
}

function entriesOf<I, O>(entries: Entries<I>, at: Path, make: (given: I, at: Path) => O): readonly O[] {
  return entries.flatMap((given, index) => (given === undefined ? [] : [make(given, [...at, index])]));
}

function idsOf<K extends string>(
  entries: Entries<Readonly<Record<K, string>>>,
  at: Path,
  key: K,
): readonly (readonly [string, Path])[] {
  return entries.flatMap((given, index) => (given === undefined ? [] : [[given[key], [...at, index, key]]]));
}

const soundUrl = 'https://stand-in.invalid/';

function endpointsOf(
  entries: Entries<EndpointInput>,
  allowLoopback: boolean,
  findings: Findings,
): readonly EndpointConfig[] {
  return entriesOf(entries, ['detector', 'endpoints'], (given, at): EndpointConfig => {
    const { secret, secrets: several, secretEnv, bearerEnv, ...rest } = given;
    const secrets =
      secretEnv !== undefined
        ? [findings.variable(secretEnv, [...at, 'secretEnv'])]
        : (several ?? (secret !== undefined ? [secret] : []));
    const bearer =
      bearerEnv !== undefined ? findings.variable(bearerEnv, [...at, 'bearerEnv']) : given.bearer;
    const endpoint = { ...rest, secrets, allowLoopback, ...(bearer === undefined ? {} : { bearer }) };
    // Each part beside others that nothing is wrong with, since the first mistake would hide the next.
    const { bearer: _none, ...sound } = { ...endpoint, url: soundUrl, secrets: [standInSecret] };
    findings.attempt(at, () => checkEndpoint({ ...sound, url: endpoint.url }));
    // A missing variable is told already; an empty secret would only be told a second time.
    if (secrets.every((one) => one !== '')) findings.attempt(at, () => checkEndpoint({ ...sound, secrets }));
    if (bearer !== undefined && bearer !== '')
      findings.attempt(at, () => checkEndpoint({ ...sound, bearer }));
    return endpoint;
  });
}

/** Only the hash goes on from here. */
function tokenOf(
  { token, tokenEnv, sha256: hash, ...rest }: TokenInput,
  at: Path,
  findings: Findings,
): TokenConfig {
  if (hash !== undefined) return { ...rest, sha256: hash.toLowerCase() };
  const key = tokenEnv === undefined ? 'token' : 'tokenEnv';
  const value = tokenEnv === undefined ? (token ?? '') : findings.variable(tokenEnv, [...at, key]);
  if (value !== '' && (value.length < shortestToken || /[^\x21-\x7e]/.test(value)))
    findings.add([...at, key], `must be at least ${shortestToken} characters of ASCII without spaces`);
  return { ...rest, sha256: sha256(value).toString('hex') };
}

function routeOf(given: CanaryRouteInput, at: Path, findings: Findings): CanaryRoute {
  const bearer =
    given.bearerEnv === undefined ? given.bearer : findings.variable(given.bearerEnv, [...at, 'bearerEnv']);
  if (bearer !== undefined && /[^\x21-\x7e]/.test(bearer))
    findings.add(
      [...at, given.bearerEnv === undefined ? 'bearer' : 'bearerEnv'],
      'must be ASCII without spaces',
    );
  const url = new URL(given.url);
  if (url.username !== '' || url.password !== '')
    findings.add([...at, 'url'], 'must hold no user or password; use headers or bearer');
  if (!url.pathname.endsWith('/v1/logs')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/logs`;
  return {
    path: given.path,
    url: url.href,
    headers: { ...given.headers, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
  };
}

function deadmanOf(given: ParsedDeadman, allowLoopback: boolean, findings: Findings): DeadmanConfig {
  const { urlEnv, intervalMs, timeoutMs, allowPrivate } = given;
  const key = urlEnv === undefined ? 'url' : 'urlEnv';
  const at = ['detector', 'deadman', key];
  const url = urlEnv === undefined ? (given.url ?? '') : findings.variable(urlEnv, at);
  const deadman = { url, intervalMs, timeoutMs, allowPrivate, allowLoopback };
  let judge: AddressJudge | undefined;
  findings.attempt(['detector', 'deadman', 'allowPrivate'], () => {
    judge = addressJudge(deadman);
  });
  findings.attempt(at, () => {
    if (url !== '' && judge !== undefined) endpointUrl(url, judge);
  });
  if (timeoutMs > intervalMs)
    findings.add(
      ['detector', 'deadman', 'timeoutMs'],
      `must be at most intervalMs (${intervalMs}), so that pings do not pile up`,
    );
  return deadman;
}

function checkPolicy(policy: PolicyInput, findings: Findings): void {
  try {
    makePolicy(policy);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    for (const { path, message } of error.faults)
      findings.add(['detector', 'policy', ...path.split('.')], message);
  }
}
