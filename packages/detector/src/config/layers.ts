import type { EnvironmentLayer } from './environment.ts';
import type { DetectorConfigInput } from './schema.ts';

/** Where values come from, lowest first: file, environment, flags. */
export interface Layers {
  readonly flags: DetectorConfigInput;
  readonly environment: EnvironmentLayer;
  readonly file: unknown;
  readonly fileName: string;
}

/** Which layer set a value: the highest one that has it; of a missing one, the layer that has the thing around it. */
export function setterOf(path: readonly PropertyKey[], layers: Layers): string {
  for (let length = path.length; length > 1; length--) {
    const prefix = path.slice(1, length);
    if (has(layers.flags, prefix)) return 'flags';
    for (let part = prefix.length; part > 0; part--) {
      const name = layers.environment.setBy.get(prefix.slice(0, part).map(String).join('.'));
      if (name !== undefined) return name;
    }
    if (has(layers.file, path.slice(0, length))) break;
  }
  return layers.fileName;
}

function has(layer: unknown, path: readonly PropertyKey[]): boolean {
  if (path.length === 0) return false;
  let at: unknown = layer;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !(key in at)) return false;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return true;
}

/** Maps merge key by key; everything else of the upper layer replaces the lower one's. */
export function merge(lower: unknown, upper: unknown): unknown {
  if (!isMap(lower) || !isMap(upper)) return upper === undefined ? lower : upper;
  const result: Record<string, unknown> = { ...lower };
  for (const [key, value] of Object.entries(upper)) result[key] = merge(lower[key], value);
  return result;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
