import type { Signal } from '@turnwatch/core';
import type { Timers } from '../clocks.ts';
import { leastPollMs } from '../config/plugin-schema.ts';
import type { Logger } from '../logger.ts';
import type { LoadedPlugin } from './loaded-plugin.ts';
import { ofReading } from './strict-signal.ts';

const defaultPollMs = 1000;

export interface ProbeRoundsOptions {
  readonly probes: readonly LoadedPlugin<'probe'>[];
  readonly timers: Pick<Timers, 'every'>;
  readonly submit: (signals: readonly Signal[], path: string) => Promise<unknown>;
  readonly logger: Logger;
}

/** Looks at each engine by its own interval; one look at a time, so that a slow engine is not asked twice. */
export class ProbeRounds {
  readonly #options: ProbeRoundsOptions;
  readonly #looking = new Set<string>();
  readonly #unreachable = new Set<string>();
  readonly #seq = new Map<string, number>();
  #ends: (() => void)[] = [];

  constructor(options: ProbeRoundsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#ends = this.#options.probes.map((probe) =>
      this.#options.timers.every(
        Math.max(leastPollMs, probe.config.pollMs ?? defaultPollMs),
        () => void this.look(probe),
      ),
    );
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** Whether the last look at the engine of this probe failed. */
  isUnreachable(id: string): boolean {
    return this.#unreachable.has(id);
  }

  /** One look. Never rejects: an engine that cannot be reached is no evidence, and says so in one line when it begins. */
  async look(probe: LoadedPlugin<'probe'>): Promise<void> {
    // A look that was left alone still runs: the engine is not asked beside it.
    if (this.#looking.has(probe.id) || probe.guard.hanging > 0 || probe.stopped) return;
    this.#looking.add(probe.id);
    const { logger } = this.#options;
    const seq = (this.#seq.get(probe.id) ?? 0) + 1;
    this.#seq.set(probe.id, seq);
    try {
      const reading = await probe.call('probe', (instance, signal) => instance.probe(signal));
      if (this.#unreachable.delete(probe.id))
        logger.info({ plugin: probe.id }, 'the engine is reached again');
      await this.#tell(probe, ofReading(probe.instance.engine, reading, probe.id, seq));
    } catch (error) {
      if (!this.#unreachable.has(probe.id))
        logger.warn({ plugin: probe.id, why: probe.guard.textOf(error) }, 'the engine cannot be reached');
      this.#unreachable.add(probe.id);
      await this.#tell(probe, ofReading(probe.instance.engine, undefined, probe.id, seq));
    } finally {
      this.#looking.delete(probe.id);
    }
  }

  async #tell(probe: LoadedPlugin<'probe'>, read: ReturnType<typeof ofReading>): Promise<void> {
    const { logger, submit } = this.#options;
    for (const one of read)
      if ('refused' in one)
        logger.warn({ plugin: probe.id, why: one.refused }, 'what a probe read cannot be used');
    const signals = read.flatMap((one) => ('signal' in one ? [one.signal] : []));
    try {
      await submit(signals, `probe-${probe.id}`);
    } catch (error) {
      // The next look comes soon enough; the pipeline has told why.
      logger.debug({ plugin: probe.id, err: error }, 'what a probe read could not be taken');
    }
  }
}
