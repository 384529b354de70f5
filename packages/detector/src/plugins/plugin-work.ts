import type { Registry, Signal } from '@turnwatch/core';
import type { PluginDocument } from '@turnwatch/protocol';
import { type EndpointConfig, HttpLine, type PostLineFactory } from '@turnwatch/webhook/send';
import type { Owners } from '../access/owners.ts';
import type { Clocks, Timers } from '../clocks.ts';
import type { EndpointBook } from '../endpoints/endpoint-book.ts';
import type { ForeignTaker } from '../ingest/receiver.ts';
import type { Logger } from '../logger.ts';
import { ForeignDoubles } from './foreign-doubles.ts';
import { MapperHub } from './mapper-hub.ts';
import type { CallReport } from './plugin-guard.ts';
import { PluginSet } from './plugin-set.ts';
import { pluginStatus } from './plugin-status.ts';
import { ProbeRounds } from './probe-rounds.ts';
import { SinkLine, sinkEndpoint } from './sink-line.ts';

export interface PluginWorkOptions {
  /** Default: none. */
  readonly plugins?: PluginSet;
  /** Told how late mapped records come by nature. */
  readonly registry: Pick<Registry, 'expectDelay' | 'turns'>;
  /** Whose a turn is from before a restart. Default: nobody's. */
  readonly owners?: Pick<Owners, 'ownerOf'>;
  readonly clocks: Clocks;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly submit: (signals: readonly Signal[], path: string, owner?: string) => Promise<unknown>;
  readonly onCall: (report: CallReport) => void;
}

/** What the plugins do in one detector: sinks at the outbox, mappers at the receiver, probes by the clock. */
export class PluginWork {
  /** The sinks as endpoints of the outbox. */
  readonly endpoints: readonly EndpointConfig[];
  readonly mappers: MapperHub;
  readonly #options: PluginWorkOptions;
  readonly #plugins: PluginSet;
  readonly #lines: ReadonlyMap<string, SinkLine>;
  readonly #probes: ProbeRounds;
  readonly #doubles = new ForeignDoubles();

  constructor(options: PluginWorkOptions) {
    this.#options = options;
    const { plugins = new PluginSet(), registry, clocks, timers, logger, submit } = options;
    this.#plugins = plugins;
    const sinks = plugins.ofKind('sink');
    this.endpoints = sinks.map(sinkEndpoint);
    this.#lines = new Map(sinks.map((sink) => [sink.id, new SinkLine(sink)]));
    this.mappers = new MapperHub({
      mappers: plugins.ofKind('mapper'),
      monoMs: () => clocks.monoMs(),
      logger,
    });
    for (const { path, delayMs } of this.mappers.delays) registry.expectDelay(path, delayMs);
    // What a mapper takes up does not depend on the hour.
    this.mappers.resume(
      registry.turns({ awakeMs: 0, bootMs: clocks.bootMs(), wallMs: clocks.wallMs() }),
      (turn) => options.owners?.ownerOf('turn', turn),
    );
    this.#probes = new ProbeRounds({ probes: plugins.ofKind('probe'), timers, submit, logger });
    plugins.onCall = options.onCall;
  }

  /** The way to an endpoint: through its plugin, or a signed POST. */
  readonly line: PostLineFactory = (endpoint, clock) =>
    (endpoint.plugin === undefined ? undefined : this.#lines.get(endpoint.id)) ??
    new HttpLine(endpoint, clock);

  /** Waits for nothing: a plugin that takes its time keeps nobody from judging. */
  start(): void {
    void this.#plugins.start(this.#options.logger);
    this.#probes.start();
  }

  /** For the receiver; undefined: nobody asks for telemetry of other makers. */
  get foreign(): ForeignTaker | undefined {
    const { mappers } = this;
    if (mappers.idle) return undefined;
    return {
      ...mappers.selection,
      take: async (records, owner) => {
        const fresh = this.#doubles.take(records, owner);
        try {
          for (const { signals, path } of await mappers.map(fresh.records, owner))
            if (signals.length > 0) await this.#options.submit(signals, path, owner);
        } catch (error) {
          fresh.forget();
          throw error;
        }
      },
    };
  }

  /** The book as a reload configures it: sinks stay, since plugins are taken up at the start. */
  beside(book: Pick<EndpointBook, 'configure'>): Pick<EndpointBook, 'configure'> {
    return { configure: (endpoints, network) => book.configure([...endpoints, ...this.endpoints], network) };
  }

  /** Looks at no engine any more; sinks go on until {@link stop}. */
  quiet(): void {
    this.#probes.stop();
  }

  stop(): Promise<void> {
    return this.#plugins.stop();
  }

  get status(): readonly PluginDocument[] {
    return this.#plugins.all.map((plugin) =>
      pluginStatus(plugin, {
        isOpen: (id) => this.mappers.isOpen(id),
        isUnreachable: (id) => this.#probes.isUnreachable(id),
      }),
    );
  }
}
