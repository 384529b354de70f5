import type { StartOptions } from '../instrumentation.ts';

/** Where a turn comes from that no line of code and no framework has started. */
type ImplicitTurns = 'request' | 'process' | 'off';

export interface Settings {
  readonly implicitTurns: ImplicitTurns;
  /** For turns that are not started inside of another. */
  readonly outermost: Pick<
    StartOptions,
    | 'agent'
    | 'provider'
    | 'model'
    | 'parentId'
    | 'parentCallId'
    | 'traceparent'
    | 'conversationId'
    | 'expiresInMs'
  >;
  /** For every turn. */
  readonly every: Pick<StartOptions, 'route'>;
  /** `off`: an SDK is never started. */
  readonly sdk: 'auto' | 'off';
  /** Least level of what is printed; `undefined`: OpenTelemetry's diagnostics go where the agent sends them. */
  readonly log: LogLevel | undefined;
  /** What was set and means nothing, a line each. */
  readonly problems: readonly string[];
}

export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

type Env = Readonly<Record<string, string | undefined>>;

const logLevels: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];
const no: ReadonlySet<string> = new Set(['off', 'false', '0', 'no']);

/** Whether this process is to be observed at all. */
export function isEnabled(env: Env): boolean {
  if (no.has(env.TURNWATCH_ENABLED?.trim().toLowerCase() ?? '')) return false;
  // Nothing is left then to send records with, unless there is a place of our own for them.
  return env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' || given(env.TURNWATCH_ENDPOINT) !== undefined;
}

/** Reads the variables of a start without code. What means nothing is left out and told, never thrown. */
export function settingsOf(env: Env): Settings {
  const problems: string[] = [];
  const oneOf = <T extends string>(name: string, words: readonly T[]): T | undefined => {
    const text = given(env[name])?.toLowerCase();
    const word = words.find((each) => each === text);
    if (text !== undefined && word === undefined)
      problems.push(`${name} must be one of ${words.join(', ')}, not "${env[name]}"; it is ignored`);
    return word;
  };
  const duration = (name: string): number | undefined => {
    const text = given(env[name]);
    if (text === undefined) return undefined;
    const ms = Number(text);
    if (Number.isFinite(ms) && ms > 0) return ms;
    problems.push(`${name} must be a number of milliseconds above 0, not "${text}"; it is ignored`);
    return undefined;
  };
  return {
    implicitTurns: oneOf('TURNWATCH_IMPLICIT_TURNS', ['request', 'process', 'off']) ?? 'request',
    outermost: {
      agent: given(env.TURNWATCH_AGENT),
      provider: given(env.TURNWATCH_PROVIDER),
      model: given(env.TURNWATCH_MODEL),
      parentId: given(env.TURNWATCH_PARENT_ID),
      parentCallId: given(env.TURNWATCH_PARENT_CALL_ID),
      traceparent: given(env.TRACEPARENT),
      conversationId: given(env.TURNWATCH_CONVERSATION_ID),
      expiresInMs: duration('TURNWATCH_EXPIRES_IN_MS'),
    },
    every: { route: oneOf('TURNWATCH_ROUTE', ['api', 'local']) },
    sdk: oneOf('TURNWATCH_SDK', ['auto', 'off']) ?? 'auto',
    log: oneOf('TURNWATCH_LOG', logLevels),
    problems,
  };
}

function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
