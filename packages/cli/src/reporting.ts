import { DiagLogLevel, diag } from '@opentelemetry/api';
import { configure } from '@turnwatch/instrumentation';
import type { Output } from './output.ts';
import { UsageError } from './usage-error.ts';
import { withoutPassword } from './without-password.ts';

const unsaid = (): undefined => undefined;

export interface Reporting {
  readonly endpoint?: string | undefined;
  readonly token?: string | undefined;
}

/**
 * Sets up this process to tell a detector of what it sees.
 * @param service names this process with its records
 * @returns where they go, to be shown
 * @throws UsageError for an endpoint that is no URL
 */
export function reportTo(
  service: string,
  { endpoint, token }: Reporting,
  environment: Readonly<Record<string, string | undefined>>,
  output: Output,
): string {
  const target = endpoint ?? environment.TURNWATCH_ENDPOINT ?? environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = target === undefined || target === '' ? 'http://127.0.0.1:4318' : target;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new UsageError(
      `--endpoint must be an http(s) URL such as http://127.0.0.1:4318, not ${JSON.stringify(withoutPassword(url))}`,
    );
  const secret = token ?? environment.TURNWATCH_API_TOKEN;
  const say = (message: string, ...more: readonly unknown[]): void =>
    output.err(`${[message, ...more.map(String)].join(' ')}\n`);
  diag.setLogger(
    { error: say, warn: say, info: unsaid, debug: unsaid, verbose: unsaid },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  configure({
    endpoint: url,
    ...(secret === undefined || secret === '' ? {} : { headers: { authorization: `Bearer ${secret}` } }),
    serviceName: service,
    spans: false,
  });
  return withoutPassword(url);
}
