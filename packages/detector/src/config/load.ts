import { dirname, resolve } from 'node:path';
import { complete } from './complete.ts';
import { readConfigFile } from './config-file.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { type Blame, problemsOf } from './explain.ts';
import { Findings } from './findings.ts';
import { type Layers, merge, setterOf } from './layers.ts';
import { ConfigError, type ConfigProblem } from './problem.ts';
import { salvage } from './salvage.ts';
import { type DetectorConfigInput, parseFile } from './schema.ts';
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
 * @throws {ConfigError} where the file cannot be read at all, with what is wrong in environment and flags all the same
 */
export function examine(sources: ConfigSources): Examined {
  const fileName = sources.file ?? 'turnwatch.yaml';
  const { content: file, unreadable } = fileOf(sources.file);
  const environment = readEnvironment(sources.environment ?? {});
  const flags = sources.flags ?? {};
  const merged = merge(merge(file, { detector: environment.value }), { detector: flags });
  const layers: Layers = { flags, environment, file, fileName };
  const blame: Blame = (path) => setterOf(path, layers);

  const parsed = parseFile(merged);
  if (unreadable !== undefined) {
    // Of the other layers only what is wrong whatever stands in the file.
    const values = (parsed.error?.issues ?? []).filter(
      (issue) => isSet(merged, issue.path) && issue.code !== 'custom',
    );
    const ofValues = values.flatMap((issue) => problemsOf(issue, merged, blame));
    throw new ConfigError([...unreadable, ...environment.problems, ...ofValues]);
  }
  const salvaged = parsed.success ? { file: parsed.data, issues: [] } : salvage(merged);
  const issues = [...(parsed.error?.issues ?? []), ...salvaged.issues];
  const ofShape = issues.flatMap((issue) => problemsOf(issue, merged, blame));
  const findings = new Findings(sources.environment ?? {}, blame);
  const directoryOf = (path: readonly PropertyKey[]): string =>
    sources.file !== undefined && blame(path) === fileName ? dirname(resolve(fileName)) : resolve('.');
  const config = complete(salvaged.file, findings, directoryOf);
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

function fileOf(path: string | undefined): {
  readonly content: unknown;
  readonly unreadable?: readonly ConfigProblem[];
} {
  try {
    return { content: path === undefined ? {} : readConfigFile(path) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { content: {}, unreadable: error.problems };
  }
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
