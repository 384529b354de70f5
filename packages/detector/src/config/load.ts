import { dirname, resolve } from 'node:path';
import { complete } from './complete.ts';
import { readConfigFile } from './config-file.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { type Blame, problemsOf } from './explain.ts';
import { Findings } from './findings.ts';
import { type Layers, merge, setterOf } from './layers.ts';
import { ConfigError, type ConfigProblem } from './problem.ts';
import { type DetectorConfigInput, parseFile, salvage } from './schema.ts';
import type { DetectorConfig } from './shape.ts';

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
  /** Where a value comes from: the file, a variable, `flags` or `default`. The path begins with `detector`. */
  readonly sourceOf: (path: readonly PropertyKey[]) => string;
}

/**
 * The configuration of file < environment < flags, checked, with defaults and secrets filled in.
 * Maps merge key by key, lists replace each other.
 *
 * @throws {ConfigError} with every problem at once; nothing has been opened by then.
 */
export function loadConfig(sources: ConfigSources = {}): LoadedConfig {
  const { problems, blame: _blame, ...loaded } = examine(sources);
  if (problems.length > 0) throw new ConfigError(problems);
  return loaded;
}

export interface Examined extends LoadedConfig {
  /** The configuration can be used only where there are none. */
  readonly problems: readonly ConfigProblem[];
  readonly blame: Blame;
}

/**
 * {@link loadConfig} for those who look further: what can be read of the configuration, with what is wrong in it.
 * @throws {ConfigError} where the file cannot be read at all
 */
export function examine(sources: ConfigSources): Examined {
  const fileName = sources.file ?? 'turnwatch.yaml';
  const file = sources.file === undefined ? {} : readConfigFile(sources.file);
  const environment = readEnvironment(sources.environment ?? {});
  const flags = sources.flags ?? {};
  const merged = merge(merge(file, { detector: environment.value }), { detector: flags });
  const layers: Layers = { flags, environment, file, fileName };
  const blame: Blame = (path) => setterOf(path, layers);

  const parsed = parseFile(merged);
  const ofShape = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => problemsOf(issue, merged, blame));
  const findings = new Findings(sources.environment ?? {}, blame);
  const directoryOf = (path: readonly PropertyKey[]): string =>
    sources.file !== undefined && blame(path) === fileName ? dirname(resolve(fileName)) : resolve('.');
  const config = complete(parsed.success ? parsed.data : salvage(merged), findings, directoryOf);
  const problems = [...environment.problems, ...ofShape, ...findings.problems];
  const named = variablesNamedIn(merged);
  return {
    problems,
    blame,
    config,
    warnings: [
      ...[...environment.suspicious].flatMap(([name, text]) => (named.has(name) ? [] : [text])),
      ...unwatchedPaths(config),
    ],
    sourceOf: (path) => (isSet(merged, path) ? blame(path) : 'default'),
  };
}

/** Values of `secretEnv` and its like: those variables are meant. */
function variablesNamedIn(value: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key.endsWith('Env') && typeof inner === 'string') found.add(inner);
    variablesNamedIn(inner, found);
  }
  return found;
}

/** Without a probe on it nobody knows whether a path works, so its silence proves nothing (RULES 5). */
function unwatchedPaths({ tokens, canary }: DetectorConfig): readonly string[] {
  const watched = new Set(canary.routes.map(({ path }) => path));
  return tokens
    .filter(({ path }) => path !== undefined && !watched.has(path))
    .map(
      ({ id, path }) =>
        `the token "${id}" has the path "${path}", which no entry of detector.canary.routes watches: ` +
        'processes that come in by it are never called unreachable',
    );
}

function isSet(layer: unknown, path: readonly PropertyKey[]): boolean {
  let at: unknown = layer;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !(key in at)) return false;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return true;
}
