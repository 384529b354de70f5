import type { MapperPrecision, MapperSelection, PluginKind } from '@turnwatch/plugin';
import type { NetworkPolicy } from '@turnwatch/webhook/send';
import type { Environment } from '../../config/environment.ts';
import type { PluginSpec } from '../assemble.ts';
import type { OptionProblem } from '../check-options.ts';

// What a plugin's process and the detector say to each other. All of it can be cloned.

/** What the process is started with. */
export interface IsolatedSpec extends PluginSpec {
  readonly id: string | undefined;
  readonly network: NetworkPolicy;
  /** Whether the configuration leaves loopback to the kind: a probe may dial it. */
  readonly loopbackOpen: boolean;
  readonly environment: Environment;
}

export type Method = 'start' | 'stop' | 'deliver' | 'map' | 'probe';

export type ToPlugin =
  | { readonly type: 'call'; readonly call: number; readonly method: Method; readonly argument: unknown }
  | { readonly type: 'abort'; readonly call: number }
  | { readonly type: 'ping' };

export type FromPlugin =
  | { readonly type: 'loaded'; readonly loaded: Declared }
  | { readonly type: 'refused'; readonly message: string; readonly problems: readonly OptionProblem[] }
  | { readonly type: 'done'; readonly call: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly call: number; readonly error: PlainError }
  | { readonly type: 'stray'; readonly error: PlainError }
  | {
      readonly type: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly fields: object;
      readonly message: string;
    }
  | { readonly type: 'pong' };

export interface Declared {
  readonly kind: PluginKind;
  readonly id: string;
  readonly methods: readonly Method[];
  /** Of a probe. */
  readonly engine?: string;
  /** Of a mapper. */
  readonly selects?: MapperSelection;
  readonly precision?: MapperPrecision;
  readonly exporterDelayMs?: number;
}

/** What of an error crosses over; texts hold no secret any more. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly permanent?: boolean;
}
