import { readFileSync } from 'node:fs';
import { makePolicy, type PolicyInput } from '@turnwatch/core';
import { addressJudge, checkEndpoint, type EndpointConfig } from '@turnwatch/webhook/send';
import { parse, YAMLParseError } from 'yaml';
import { sha256, type TokenConfig } from '../access/tokens.ts';
import { isLoopbackHost } from '../http/loopback.ts';
import { type Environment, firstLine, readEnvironment } from './environment.ts';
import { type Blame, dotted, problemsOf } from './explain.ts';
import { merge, setterOf } from './layers.ts';
import { ConfigError, type ConfigProblem } from './problem.ts';
import { type DetectorConfigInput, type ParsedFile, parseFile } from './schema.ts';
import type { DetectorConfig } from './shape.ts';
import { shortestToken, type TokenInput } from './token-schema.ts';

export interface ConfigSources {
  /** Path of a YAML or JSON file. It must exist. */
  readonly file?: string;
  readonly environment?: Environment;
  /** Wins over both: what the command line says, in the shape of the file's section `detector`. */
  readonly flags?: DetectorConfigInput;
}

export interface LoadedConfig {
  readonly config: DetectorConfig;
  /** Worth a line in the log, nothing that stops the start. */
  readonly warnings: readonly string[];
}

/**
 * The configuration of file < environment < flags, checked, with defaults and secrets filled in.
 * Maps merge key by key, lists replace each other.
 *
 * @throws {ConfigError} with every problem at once; nothing has been opened by then.
 */
export function loadConfig(sources: ConfigSources = {}): LoadedConfig {
  const fileName = sources.file ?? 'turnwatch.yaml';
  const file = sources.file === undefined ? {} : readFile(sources.file);
  const environment = readEnvironment(sources.environment ?? {});
  if (environment.problems.length > 0) throw new ConfigError(environment.problems);
  const flags = sources.flags ?? {};
  const merged = merge(merge(file, { detector: environment.value }), { detector: flags });
  const blame: Blame = (path) => setterOf(path, { flags, environment, file, fileName });

  const parsed = parseFile(merged);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.flatMap((issue) => problemsOf(issue, merged, blame)));
  const config = complete(parsed.data, sources.environment ?? {}, blame);
  return { config, warnings: environment.warnings };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
    throw new ConfigError([
      { source: path, path: '', message: `${why}; give the path of a YAML or JSON file` },
    ]);
  }
  try {
    const content: unknown = parse(text) ?? {};
    const detector = isMap(content) ? (content.detector ?? {}) : undefined;
    if (isMap(content) && isMap(detector)) return content;
    // Merging would drop it without a word, and the detector would start on its defaults.
    const at = isMap(content) ? 'detector' : '';
    throw new ConfigError([
      {
        source: path,
        path: at,
        message: 'must be a map of keys, as in `detector: { listen: { port: 4318 } }`',
      },
    ]);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new ConfigError([{ source: path, path: '', message: `is not YAML or JSON: ${firstLine(error)}` }]);
  }
}

function complete({ detector }: ParsedFile, environment: Environment, blame: Blame): DetectorConfig {
  const problems: ConfigProblem[] = [];
  const problem = (path: readonly PropertyKey[], message: string): void => {
    problems.push({ source: blame(path), path: dotted(path), message });
  };
  const variable = (name: string, path: readonly PropertyKey[]): string => {
    const value = environment[name];
    if (value === undefined || value === '')
      problem(path, `the variable ${name} is not set; set it to the secret`);
    return value ?? '';
  };

  const attempt = (path: readonly PropertyKey[], check: () => void): void => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      problem(path, error.message);
    }
  };
  const { host, allowRemote } = detector.listen;
  const allowLoopback = detector.webhook.allowLoopback ?? isLoopbackHost(host);

  const seen = new Set<string>();
  const endpoints = detector.endpoints.map((given, index): EndpointConfig => {
    const at = ['detector', 'endpoints', index];
    if (seen.has(given.id))
      problem([...at, 'id'], `"${given.id}" is used twice; every endpoint needs a name of its own`);
    seen.add(given.id);
    const secrets =
      given.secretEnv !== undefined
        ? [variable(given.secretEnv, [...at, 'secretEnv'])]
        : (given.secrets ?? (given.secret !== undefined ? [given.secret] : []));
    const bearer =
      given.bearerEnv !== undefined ? variable(given.bearerEnv, [...at, 'bearerEnv']) : given.bearer;
    const { secret: _secret, secretEnv: _secretEnv, bearerEnv: _bearerEnv, ...rest } = given;
    const endpoint = { ...rest, secrets, allowLoopback, ...(bearer === undefined ? {} : { bearer }) };
    // A missing variable is told already; an empty secret would only be told a second time.
    if (secrets.every((secret) => secret !== '')) attempt(at, () => checkEndpoint(endpoint));
    return endpoint;
  });

  const tokenIds = new Set<string>();
  const tokens = detector.tokens.map((given, index): TokenConfig => {
    const at = ['detector', 'tokens', index];
    if (tokenIds.has(given.id))
      problem([...at, 'id'], `"${given.id}" is used twice; every token needs a name of its own`);
    tokenIds.add(given.id);
    return tokenOf(given, at, variable, problem);
  });
  attempt(['detector', 'webhook', 'allowPrivate'], () =>
    addressJudge({ allowPrivate: detector.webhook.allowPrivate }),
  );

  if (!isLoopbackHost(host) && !allowRemote && tokens.length === 0)
    problem(
      ['detector', 'listen', 'host'],
      `${host} can be reached from other machines, and no tokens keep them out; configure detector.tokens, ` +
        'use 127.0.0.1, or set detector.listen.allowRemote: true where the network itself is trusted',
    );
  checkPolicy(detector.policy, problem);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...detector,
    endpoints,
    tokens,
    webhook: { allowLoopback, allowPrivate: detector.webhook.allowPrivate },
  };
}

type Problem = (path: readonly PropertyKey[], message: string) => void;

/** Only the hash goes on from here. */
function tokenOf(
  { token, tokenEnv, sha256: hash, ...rest }: TokenInput,
  at: readonly PropertyKey[],
  variable: (name: string, path: readonly PropertyKey[]) => string,
  problem: Problem,
): TokenConfig {
  if (hash !== undefined) return { ...rest, sha256: hash.toLowerCase() };
  const key = tokenEnv === undefined ? 'token' : 'tokenEnv';
  const value = tokenEnv === undefined ? (token ?? '') : variable(tokenEnv, [...at, key]);
  if (value !== '' && (value.length < shortestToken || /[^\x21-\x7e]/.test(value)))
    problem([...at, key], `must be at least ${shortestToken} characters of ASCII without spaces`);
  return { ...rest, sha256: sha256(value).toString('hex') };
}

/** Core says `policy.margin must be ...`: its first word is the path. */
function checkPolicy(policy: PolicyInput, problem: Problem): void {
  try {
    makePolicy(policy);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const [, path = 'policy', message = error.message] = /^(policy\.\S+) (.*)$/s.exec(error.message) ?? [];
    problem(['detector', ...path.split('.')], message);
  }
}
