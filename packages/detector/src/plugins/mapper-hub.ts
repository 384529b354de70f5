import type { Signal, TurnView } from '@turnwatch/core';
import type { ForeignRecord, OpenTurn, SignalMapper } from '@turnwatch/plugin';
import type { ForeignSelection } from '@turnwatch/protocol/otlp';
import type { Logger } from '../logger.ts';
import { Circuit } from './circuit.ts';
import type { LoadedPlugin } from './loaded-plugin.ts';
import { isSelected, selectedPart } from './mapper-selection.ts';
import { type OwnedOpenTurn, OwnMappers } from './own-mappers.ts';
import { ofMapped } from './strict-signal.ts';

/** A mapper that makes more of one record is broken, or attacked through what it reads. */
const maxSignalsPerRecord = 100;

export interface MapperHubOptions {
  readonly mappers: readonly LoadedPlugin<'mapper'>[];
  readonly monoMs: () => number;
  readonly logger: Logger;
}

/** What a batch of foreign records came to by one mapper. */
export interface Mapped {
  /** The way these signals come in: the lag of each mapper's telemetry is its own. */
  readonly path: string;
  readonly signals: readonly Signal[];
  readonly refused: number;
}

function pathOf(mapperId: string): string {
  return `mapper-${mapperId}`;
}

/** Hands telemetry of other makers to the mappers that ask for it. */
export class MapperHub {
  readonly #options: MapperHubOptions;
  readonly #circuits = new Map<string, Circuit>();
  readonly #instances = new Map<string, OwnMappers>();
  readonly #reason = new Map<string, string>();

  constructor(options: MapperHubOptions) {
    this.#options = options;
    for (const mapper of options.mappers) {
      this.#circuits.set(mapper.id, new Circuit(options.monoMs));
      this.#instances.set(mapper.id, new OwnMappers(mapper));
    }
  }

  /** Nobody asks for anything: the receiver need not look. */
  get idle(): boolean {
    return this.#options.mappers.length === 0;
  }

  /** Attributes that some mapper reads, of records and resources. */
  get attributes(): readonly string[] {
    return unique(this.#selections().flatMap(({ attributes }) => attributes));
  }

  get resourceAttributes(): readonly string[] {
    return unique(this.#selections().flatMap(({ resource }) => resource ?? []));
  }

  wantsLog(eventName: string): boolean {
    return this.#selections().some(({ logs }) => isSelected(eventName, logs));
  }

  wantsSpan(scope: string): boolean {
    return this.#selections().some(({ spans }) => isSelected(scope, spans));
  }

  wantsMetric(name: string): boolean {
    return this.#selections().some(({ metrics }) => isSelected(name, metrics));
  }

  get wantsSpans(): boolean {
    return this.#selections().some(({ spans = [] }) => spans.length > 0);
  }

  get wantsMetrics(): boolean {
    return this.#selections().some(({ metrics = [] }) => metrics.length > 0);
  }

  /** What of other makers' telemetry is read at all. */
  get selection(): ForeignSelection {
    return {
      wantsLog: (name) => this.wantsLog(name),
      wantsSpan: (scope) => this.wantsSpan(scope),
      attributes: this.attributes,
      resource: this.resourceAttributes,
    };
  }

  /** Left alone because it fails on everything. */
  isOpen(id: string): boolean {
    return this.#circuits.get(id)?.open ?? false;
  }

  /** Ways in by mapper, with how late their records are by their exporters' nature. */
  get delays(): readonly { readonly path: string; readonly delayMs: number }[] {
    return this.#options.mappers.map(({ id, instance }) => ({
      path: pathOf(id),
      delayMs: instance.exporterDelayMs,
    }));
  }

  /** Turns that stand open from before a restart, for the mappers whose signals they are of. */
  resume(turns: readonly TurnView[], ownerOf: (turn: string) => string | undefined): void {
    for (const mapper of this.#options.mappers) {
      const open = turns.flatMap((view): OwnedOpenTurn[] => {
        const known = view.path === pathOf(mapper.id) ? openTurn(view) : undefined;
        return known === undefined ? [] : [{ owner: ownerOf(view.id), open: known }];
      });
      try {
        this.#instances.get(mapper.id)?.resume(open);
      } catch (error) {
        this.#options.logger.warn(
          { plugin: mapper.id, why: mapper.guard.textOf(error) },
          'a mapper could not take up the turns from before',
        );
      }
    }
  }

  /**
   * Never rejects: a mapper that fails costs its own signals and nobody else's.
   * @param owner of the token the records came with
   */
  async map(records: readonly ForeignRecord[], owner?: string): Promise<readonly Mapped[]> {
    const results = await Promise.all(
      this.#options.mappers.map((mapper) => this.#mapWith(mapper, records, owner)),
    );
    return results.flatMap((mapped) => (mapped === undefined ? [] : [mapped]));
  }

  async #mapWith(
    mapper: LoadedPlugin<'mapper'>,
    records: readonly ForeignRecord[],
    owner: string | undefined,
  ): Promise<Mapped | undefined> {
    const circuit = this.#circuits.get(mapper.id);
    const instances = this.#instances.get(mapper.id);
    if (circuit === undefined || instances === undefined || circuit.open || mapper.stopped) return undefined;
    const wanted = records.flatMap((record) => selectedPart(record, mapper.instance.selects) ?? []);
    if (wanted.length === 0) return undefined;
    try {
      const mapped = await mapper.call('map', async (_, signal) => {
        const instance = await instances.of(owner);
        const made = await (instance.map as AbortableMap).call(instance, wanted, signal);
        if (!Array.isArray(made)) throw new Error('map() gave no list of signals');
        if (made.length > maxSignalsPerRecord * wanted.length)
          throw new Error(`map() gave ${made.length} signals for ${wanted.length} records`);
        return made;
      });
      circuit.succeeded();
      return this.#strict(mapper, mapped);
    } catch (error) {
      const pauseMs = circuit.failed();
      const { logger } = this.#options;
      const about = { plugin: mapper.id, why: mapper.guard.textOf(error) };
      if (pauseMs > 0) logger.error({ ...about, pauseMs }, 'a mapper fails on everything and is left alone');
      else logger.warn(about, 'a mapper failed; its records are not judged');
      return undefined;
    }
  }

  #strict(mapper: LoadedPlugin<'mapper'>, mapped: Awaited<ReturnType<AbortableMap>>): Mapped {
    const signals: Signal[] = [];
    let refused = 0;
    for (const one of mapped) {
      const strict = ofMapped(one, mapper.id);
      if ('signal' in strict) signals.push(strict.signal);
      else {
        refused++;
        this.#tellRefused(mapper.id, strict.refused);
      }
    }
    return { path: pathOf(mapper.id), signals, refused };
  }

  /** Once for each new reason: a broken mapper refuses with every batch. */
  #tellRefused(id: string, why: string): void {
    if (this.#reason.get(id) === why) return;
    this.#reason.set(id, why);
    this.#options.logger.warn({ plugin: id, why }, 'a signal of a mapper cannot be used');
  }

  #selections(): readonly SignalMapper['selects'][] {
    return this.#options.mappers.map(({ instance }) => instance.selects);
  }
}

/** The second argument is for a mapper in another process, which has to be told that nobody waits any more. */
type AbortableMap = (
  records: readonly ForeignRecord[],
  signal: AbortSignal,
) => ReturnType<SignalMapper['map']>;

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

function openTurn({ id, state, identity, openRequests, calls }: TurnView): OpenTurn | undefined {
  if (state === 'ended' || state === 'expired') return undefined;
  return { turn: id, identity, requests: openRequests, calls: calls.map((call) => call.id) };
}
