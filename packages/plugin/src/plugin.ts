import type { EngineProbe } from './engine-probe.ts';
import type { PluginHost } from './host.ts';
import type { SignalMapper } from './signal-mapper.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { VerdictSink } from './verdict-sink.ts';

/** The version of these interfaces. It grows when a plugin that fits the one before would no longer work. */
export const apiVersion = 1;

/** What each kind of plugin makes. */
export interface PluginInstances {
  readonly mapper: SignalMapper;
  readonly probe: EngineProbe;
  readonly sink: VerdictSink;
  /** `TurnStore` of `@turnwatch/detector`, whose own interface it is. Opened by `create`, which is called last. */
  readonly store: object;
}

export type PluginKind = keyof PluginInstances;

export const pluginKinds: readonly PluginKind[] = ['mapper', 'probe', 'sink', 'store'];

/** What a plugin's module exports under the name `plugin`. */
export interface Plugin<Kind extends PluginKind = PluginKind, Options = unknown> {
  /** The {@link apiVersion} that it was written for. */
  readonly apiVersion: 1;
  readonly kind: Kind;
  /** 1 to 64 letters, digits, `_` or `-`: the name where the configuration gives no `id`. */
  readonly name: string;
  /** Its options, by any Standard Schema. Without one it takes no options. */
  readonly optionsSchema?: StandardSchema<Options>;
  /**
   * Makes one instance. Called once for each entry of the configuration, before anything listens; opens nothing yet
   * (that is what `start` is for). What it throws is told as a mistake in the configuration.
   */
  create(options: Options, host: PluginHost): PluginInstances[Kind] | Promise<PluginInstances[Kind]>;
}

/** A plugin whose options are not known: as the detector finds it. */
export type AnyPlugin = {
  readonly [Kind in PluginKind]: Omit<Plugin<Kind, never>, 'optionsSchema'> & {
    readonly optionsSchema?: StandardSchema;
  };
}[PluginKind];
