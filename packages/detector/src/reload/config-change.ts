import type { DetectorConfig } from '../config/shape.ts';
import { withoutUrlSecrets } from '../log/plain-url.ts';

/** One key that differs between two configurations. */
export interface ConfigChange {
  /** `detector.policy.confirmRatio`; entries of lists by their name: `detector.endpoints.planner.url`. */
  readonly key: string;
  /** In words, `not set` where it was or is not there. Of a secret neither value is told. */
  readonly from: string;
  readonly to: string;
  /** Only a restart takes it up. */
  readonly needsRestart: boolean;
}

/** What changes while running; every other key needs a restart. */
const live =
  /^detector\.(endpoints|tokens|webhook|policy|retention|canary|deadman|log\.level|listen\.publicUrl)(\.|$)/;
const secret = /\.(secrets?|bearer|sha256|headers\.[^.]+)$|^detector\.deadman\.url$/;

/** Every key that differs, in the order of the file. */
export function configChanges(before: DetectorConfig, after: DetectorConfig): readonly ConfigChange[] {
  const old = leavesOf(before);
  const next = leavesOf(after);
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((key) => {
    const from = old.get(key);
    const to = next.get(key);
    if (from === to) return [];
    return [{ key, from: shown(key, from), to: shown(key, to), needsRestart: !live.test(key) }];
  });
}

export function shown(key: string, value: string | undefined): string {
  if (value === undefined) return 'not set';
  if (secret.test(key)) return '(secret)';
  const plain = withoutUrlSecrets(value);
  return plain.length > 200 ? `${plain.slice(0, 197)}...` : plain;
}

/** Each value that is no map, as JSON, by its dotted key. */
export function leavesOf(config: DetectorConfig): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  collect(config, 'detector', found);
  return found;
}

function collect(value: unknown, key: string, found: Map<string, string>): void {
  if (Array.isArray(value)) {
    const named = value.map(nameOf);
    if (value.length > 0 && named.every((name) => name !== undefined)) {
      for (const [index, entry] of value.entries()) collect(entry, `${key}.${named[index]}`, found);
      return;
    }
    if (value.length === 0 && /\.(endpoints|tokens|routes)$/.test(key)) return;
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) collect(inner, `${key}.${name}`, found);
    return;
  }
  if (value !== undefined) found.set(key, JSON.stringify(value));
}

/** Endpoints and tokens by id, routes by path: an entry that moved up has not changed. */
function nameOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { id, path } = entry as { readonly id?: unknown; readonly path?: unknown };
  const name = id ?? path;
  return typeof name === 'string' ? name : undefined;
}
