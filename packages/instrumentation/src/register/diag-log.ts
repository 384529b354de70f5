import * as api from '@opentelemetry/api';
import type { LogLevel } from './settings.ts';

const levels: Readonly<Record<LogLevel, api.DiagLogLevel>> = {
  off: api.DiagLogLevel.NONE,
  error: api.DiagLogLevel.ERROR,
  warn: api.DiagLogLevel.WARN,
  info: api.DiagLogLevel.INFO,
  debug: api.DiagLogLevel.DEBUG,
};

/** Prints what OpenTelemetry's diagnostics are told, until the agent sends them elsewhere. */
export function printDiagnostics(level: LogLevel, write: (line: string) => void): void {
  const print = (text: string, ...more: unknown[]): void =>
    write(`${[text, ...more.map(shown)].join(' ')}\n`);
  api.diag.setLogger(
    { error: print, warn: print, info: print, debug: print, verbose: print },
    { logLevel: levels[level], suppressOverrideMessage: true },
  );
}

function shown(detail: unknown): string {
  return detail instanceof Error ? detail.message : String(detail);
}
