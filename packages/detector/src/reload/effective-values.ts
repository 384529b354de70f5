import type { LoadedConfig } from '../config/load.ts';
import { leavesOf, shown } from './config-change.ts';

/** One value of the configuration as it would hold. */
export interface ConfigValue {
  /** `detector.listen.port`; entries of lists by their name. */
  readonly key: string;
  /** As JSON; `(secret)` for what is one. */
  readonly value: string;
  /** The file, a variable, `flags` or `default`. */
  readonly source: string;
}

/** Every value that holds, with where it comes from. */
export function effectiveValues({ config, sourceOf }: LoadedConfig): readonly ConfigValue[] {
  return [...leavesOf(config)].map(([key, value]) => ({
    key,
    value: shown(key, value),
    source: sourceOf(pathOf(key)),
  }));
}

/** Lists are set as a whole, so their entries come from where the list does. */
function pathOf(key: string): readonly string[] {
  const path = key.split('.');
  const list = path.findIndex((name) => ['endpoints', 'tokens', 'routes', 'priors'].includes(name));
  return list < 0 ? path : path.slice(0, list + 1);
}
