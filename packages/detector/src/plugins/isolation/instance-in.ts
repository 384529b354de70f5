import type { EngineReading, MappedSignal } from '@turnwatch/plugin';
import type { Declared, Method } from './messages.ts';

type Call = (method: Method, argument: unknown, signal?: AbortSignal) => Promise<unknown>;

/** A mapper, probe or sink that does its work in another process. What comes from there is checked where it is used. */
export function instanceIn(loaded: Declared, call: Call): object {
  const lifecycle = {
    ...(loaded.methods.includes('start') ? { start: () => call('start', undefined) } : {}),
    ...(loaded.methods.includes('stop') ? { stop: () => call('stop', undefined) } : {}),
  };
  if (loaded.kind === 'probe')
    return {
      ...lifecycle,
      engine: loaded.engine,
      probe: (signal: AbortSignal) => call('probe', undefined, signal) as Promise<EngineReading>,
    };
  if (loaded.kind === 'mapper')
    return {
      ...lifecycle,
      selects: loaded.selects,
      precision: loaded.precision,
      exporterDelayMs: loaded.exporterDelayMs,
      map: (records: unknown, signal?: AbortSignal) =>
        call('map', records, signal) as Promise<readonly MappedSignal[]>,
    };
  return {
    ...lifecycle,
    deliver: (
      event: unknown,
      { attempt, body, signal }: { attempt: number; body: string; signal: AbortSignal },
    ) => call('deliver', { event, attempt, body }, signal),
  };
}
