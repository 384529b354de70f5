import type { Timers } from '../clocks.ts';
import { loadConfig } from '../config/load.ts';
import { loadPlugins } from '../plugins/load-plugins.ts';
import type { PluginSet } from '../plugins/plugin-set.ts';

/** In simulated time nothing takes too long. */
const noTimers: Pick<Timers, 'after' | 'every'> = {
  after: () => () => undefined,
  every: () => () => undefined,
};

/** Every mapper that is built in, new, as a detector has them. */
export function allMappers(): Promise<PluginSet> {
  return loadPlugins(loadConfig().config, {
    clocks: { wallMs: () => 0, monoMs: () => 0 },
    timers: noTimers,
  });
}
