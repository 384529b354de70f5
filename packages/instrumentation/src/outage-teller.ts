import * as api from '@opentelemetry/api';
import { printDiagnostics } from './register/diag-log.ts';
import { settingsOf } from './register/settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A detector that comes and goes is told of once in this time. */
const betweenMs = 60_000;
const apiPlace = Symbol.for('opentelemetry.js.api.1');

/** Prints OpenTelemetry's diagnostics as `TURNWATCH_LOG` says, where the agent does not send them elsewhere. */
export function printAsAsked(env: Env, write: (line: string) => void): void {
  const { log } = settingsOf(env);
  if (log !== undefined && !isHeard()) printDiagnostics(log, write);
}

/** Says that records do not arrive: else an agent that is refused looks to its user like one that is watched. */
export class OutageTeller {
  readonly #monoMs: () => number;
  readonly #write: ((line: string) => void) | undefined;
  #toldMs = Number.NEGATIVE_INFINITY;

  /** @param write where it goes when nobody hears OpenTelemetry's diagnostics. Absent: nowhere. */
  constructor(monoMs: () => number, write: ((line: string) => void) | undefined) {
    this.#monoMs = monoMs;
    this.#write = write;
  }

  /** @param reason `status 401`, a code as ECONNREFUSED, or words. */
  tell(url: string, reason: string): void {
    const nowMs = this.#monoMs();
    if (nowMs - this.#toldMs < betweenMs) return;
    this.#toldMs = nowMs;
    const text = `turnwatch: no records reach ${withoutCredentials(url)} (${reason})${mendOf(reason)}`;
    if (isHeard()) api.diag.warn(text);
    else this.#write?.(`${text}\n`);
  }
}

/** What a proxy before the detector may want is nobody's to read in a log. */
function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//…@');
}

function mendOf(reason: string): string {
  if (/\b401\b/.test(reason))
    return ': give a token of the detector by TURNWATCH_API_TOKEN or TURNWATCH_HEADERS';
  if (/\b403\b/.test(reason)) return ': the token needs the scope ingest';
  return '; newer state is tried all the same';
}

/** Somebody has asked for OpenTelemetry's diagnostics. */
function isHeard(): boolean {
  const registered: unknown = Reflect.get(globalThis, apiPlace);
  return (
    typeof registered === 'object' && registered !== null && Reflect.get(registered, 'diag') !== undefined
  );
}
