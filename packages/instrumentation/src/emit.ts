import * as api from '@opentelemetry/api';
import { signalToRecord } from '@turnwatch/protocol/wire';
import type { Signal } from './producer/signal.ts';

/** The little of a logger provider that is needed; those of both OpenTelemetry lines have it. */
export interface LoggerProviderLike {
  getLogger(name: string, version?: string): { emit(record: object): void };
  forceFlush?(): Promise<void>;
}

const scope = '@turnwatch/instrumentation';
const oldLine = Symbol.for('io.opentelemetry.js.api.logs');
const info = 9;

/**
 * Where records go, looked up at each of them and never kept: the SDK may start after the first turn. SDK 2.x registers
 * its logs under a global of its own, 3.x in the API; a logger of the wrong line swallows records without a word.
 */
export class Emitter {
  #given: LoggerProviderLike | undefined;

  setLoggerProvider(provider: LoggerProviderLike | undefined): void {
    this.#given = provider;
  }

  provider(): LoggerProviderLike | undefined {
    return this.#given ?? oldLineProvider() ?? newLineProvider();
  }

  emit(signal: Signal, context: api.Context | undefined): void {
    const logger = this.provider()?.getLogger(scope);
    if (logger === undefined) return;
    const { eventName, timeMs, attributes } = signalToRecord(signal);
    logger.emit({
      eventName,
      // A Date: a bare number before `performance.timeOrigin` would be read as an offset.
      timestamp: new Date(timeMs),
      severityNumber: info,
      attributes,
      context: context ?? api.ROOT_CONTEXT,
    });
  }

  /** Sends what the provider has queued, where it can be told to. */
  async flush(): Promise<void> {
    await this.provider()?.forceFlush?.();
  }
}

function oldLineProvider(): LoggerProviderLike | undefined {
  const get: unknown = Reflect.get(globalThis, oldLine);
  if (typeof get !== 'function') return undefined;
  const provider: unknown = get(1);
  return isProvider(provider) ? provider : undefined;
}

function newLineProvider(): LoggerProviderLike | undefined {
  // API 1.9 has no `logs`: neither a named import nor a static member may be asked for.
  const logs: unknown = Reflect.get(api, 'logs');
  if (typeof logs !== 'object' || logs === null || !('getLoggerProvider' in logs)) return undefined;
  const { getLoggerProvider } = logs;
  if (typeof getLoggerProvider !== 'function') return undefined;
  const provider: unknown = getLoggerProvider.call(logs);
  return isProvider(provider) ? provider : undefined;
}

function isProvider(value: unknown): value is LoggerProviderLike {
  return (
    typeof value === 'object' &&
    value !== null &&
    'getLogger' in value &&
    typeof value.getLogger === 'function'
  );
}
