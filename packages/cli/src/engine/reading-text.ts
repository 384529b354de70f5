import type { EngineKind } from '@turnwatch/engines';
import type { EngineReading } from '@turnwatch/plugin';

/** What one look has shown, for people. */
export function readingText(engine: string, reading: EngineReading, kind: EngineKind): string {
  return [`${engine}: ${kind}, ${stateOf(reading)}`, ...worksOf(reading, kind), ''].join('\n');
}

/** An engine that tells of no work can only be told to have a model. */
export function stateOf({ state, queued = 0, slots }: EngineReading): string {
  if (state === 'unloaded') return 'no model is loaded';
  if (state === 'busy' && slots === undefined) return 'a model is loaded; whether it works is not told';
  return `${state}, ${queued} waiting`;
}

function worksOf({ slots = [] }: EngineReading, kind: EngineKind): readonly string[] {
  if (kind === 'llama-cpp')
    return slots.map(({ id, read, generated }) => `  slot ${id}: ${read} read, ${generated} generated`);
  // Counters of all its requests; the steps come as a slot of their own.
  const [counted, steps] = slots;
  if (counted === undefined) return [];
  const moves = steps === undefined ? '' : `, ${steps.read} ${stepNames[kind] ?? 'steps'}`;
  return [`  all requests: ${counted.read} read to their end, ${counted.generated} generated${moves}`];
}

const stepNames: Readonly<Partial<Record<EngineKind, string>>> = {
  sglang: 'tokens computed',
  tgi: 'batches',
};
