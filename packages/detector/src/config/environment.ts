import { parse } from 'yaml';
import { nearest } from './nearest.ts';
import type { ConfigProblem } from './problem.ts';
import { keysAt } from './schema.ts';

/** A key of the file that a variable sets, below `detector`. */
interface Variable {
  readonly path: readonly string[];
  /** Text is taken as it is; everything else is read as YAML: numbers, booleans, lists, maps. */
  readonly text: boolean;
}

/** Every variable the detector reads, with the key of the file it stands for. */
export const variables: ReadonlyMap<string, Variable> = new Map<string, Variable>([
  ['TURNWATCH_LISTEN_HOST', { path: ['listen', 'host'], text: true }],
  ['TURNWATCH_LISTEN_PORT', { path: ['listen', 'port'], text: false }],
  ['TURNWATCH_LISTEN_ALLOW_REMOTE', { path: ['listen', 'allowRemote'], text: false }],
  ['TURNWATCH_LISTEN_PUBLIC_URL', { path: ['listen', 'publicUrl'], text: true }],
  ['TURNWATCH_LISTEN_ALLOWED_HOSTS', { path: ['listen', 'allowedHosts'], text: false }],
  ['TURNWATCH_LIMITS_REQUESTS_PER_MINUTE', { path: ['limits', 'requestsPerMinute'], text: false }],
  [
    'TURNWATCH_LIMITS_FAILED_AUTHENTICATIONS_PER_MINUTE',
    { path: ['limits', 'failedAuthenticationsPerMinute'], text: false },
  ],
  ['TURNWATCH_STORE', { path: ['store'], text: true }],
  ['TURNWATCH_ENDPOINTS', { path: ['endpoints'], text: false }],
  ['TURNWATCH_TOKENS', { path: ['tokens'], text: false }],
  ['TURNWATCH_WEBHOOK_ALLOW_PRIVATE', { path: ['webhook', 'allowPrivate'], text: false }],
  ['TURNWATCH_WEBHOOK_ALLOW_LOOPBACK', { path: ['webhook', 'allowLoopback'], text: false }],
  ['TURNWATCH_MAPPERS', { path: ['mappers'], text: false }],
  ['TURNWATCH_PLUGINS', { path: ['plugins'], text: false }],
  ['TURNWATCH_SOURCE', { path: ['source'], text: true }],
  ['TURNWATCH_CANARY_ROUTES', { path: ['canary', 'routes'], text: false }],
  ['TURNWATCH_DEADMAN_URL', { path: ['deadman', 'url'], text: true }],
  ['TURNWATCH_DEADMAN_INTERVAL_MS', { path: ['deadman', 'intervalMs'], text: false }],
  ['TURNWATCH_LOG_FORMAT', { path: ['log', 'format'], text: true }],
  ['TURNWATCH_LOG_LEVEL', { path: ['log', 'level'], text: true }],
  ['TURNWATCH_RETENTION_SETTLED_TURNS_MS', { path: ['retention', 'settledTurnsMs'], text: false }],
  ['TURNWATCH_RETENTION_MAX_SETTLED_TURNS', { path: ['retention', 'maxSettledTurns'], text: false }],
  ['TURNWATCH_RETENTION_EVENTS_MS', { path: ['retention', 'eventsMs'], text: false }],
  ['TURNWATCH_RETENTION_MAX_EVENTS', { path: ['retention', 'maxEvents'], text: false }],
  ['TURNWATCH_RETENTION_MAX_DELIVERIES', { path: ['retention', 'maxDeliveries'], text: false }],
  ['TURNWATCH_RETENTION_BASELINES_MS', { path: ['retention', 'baselinesMs'], text: false }],
  ['TURNWATCH_RETENTION_MAX_BASELINES', { path: ['retention', 'maxBaselines'], text: false }],
  ...(keysAt(['detector', 'ingest']) ?? []).map((key): [string, Variable] => [
    `TURNWATCH_INGEST_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    { path: ['ingest', key], text: false },
  ]),
  ...(keysAt(['detector', 'policy']) ?? []).map((key): [string, Variable] => [
    `TURNWATCH_POLICY_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    { path: ['policy', key], text: key === 'preset' },
  ]),
]);

/** What agents, `turnwatch wait` and the examples read: on a host where they run these are no mistakes. */
export const variablesOfOthers: ReadonlySet<string> = new Set(
  [
    'AGENT API_TOKEN CONVERSATION_ID DETECTOR_URL ENABLED ENDPOINT EXPIRES_IN_MS HEADERS IMPLICIT_TURNS LANE LOG MODEL',
    'PARENT_CALL_ID PARENT_ID PROCESS_ID PROVIDER ROUTE SDK SPANS SUPERVISOR_PID WEBHOOK_SECRET',
  ].flatMap((line) => line.split(' ').map((name) => `TURNWATCH_${name}`)),
);

export interface Environment {
  readonly [name: string]: string | undefined;
}

export interface EnvironmentLayer {
  readonly value: Record<string, unknown>;
  /** Dotted path below `detector` to the variable that set it. */
  readonly setBy: ReadonlyMap<string, string>;
  readonly problems: readonly ConfigProblem[];
  /** Variables that look mistyped. Never an error: others on the same host may read variables of the same prefix. */
  readonly suspicious: ReadonlyMap<string, string>;
}

/** Reads the `TURNWATCH_*` variables as the section `detector` of a file. Empty variables count as not set. */
export function readEnvironment(environment: Environment): EnvironmentLayer {
  const value: Record<string, unknown> = {};
  const setBy = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  const suspicious = new Map<string, string>();
  for (const [name, raw] of Object.entries(environment)) {
    if (!name.startsWith('TURNWATCH_') || raw === undefined || raw === '') continue;
    const variable = variables.get(name);
    if (variable === undefined) {
      if (variablesOfOthers.has(name)) continue;
      const meant = nearest(name, [...variables.keys()]);
      if (meant !== undefined)
        suspicious.set(name, `${name} is not a variable of the detector; did you mean ${meant}?`);
      continue;
    }
    try {
      put(value, variable.path, name === 'TURNWATCH_STORE' ? storeOf(raw) : variable.text ? raw : parse(raw));
      setBy.set(variable.path.join('.'), name);
    } catch (error) {
      problems.push({ source: name, path: '', message: `is not readable as YAML: ${firstLine(error)}` });
    }
  }
  return { value, setBy, problems, suspicious };
}

function storeOf(raw: string): unknown {
  return raw === 'memory' ? 'memory' : { file: raw };
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const inner = (target[key] ?? {}) as Record<string, unknown>;
  target[key] = inner;
  put(inner, rest, value);
}

/** Of a parser's message: where and what, without the text itself. */
export function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/:$/, '');
}
