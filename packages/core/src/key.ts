import type { JudgedPhase } from './policy.ts';

/** Models whose keys are remembered; what they are called is what agents say, so that there is no end of them. */
const mostModels = 5000;
/** By provider, model and phase: each heartbeat asks for two or more, and making one takes a microsecond. */
const made = new Map<string, Map<string, Map<PhaseKey, string>>>();
let models = 0;

/** A learned key: provider | model | phase, with `+evidence` where evidence came in the phase (RULES 3). */
export function baselineKey(provider: string, model: string, phase: PhaseKey): string {
  const known = made.get(provider)?.get(model)?.get(phase);
  if (known !== undefined) return known;
  const key = [provider, model, phase]
    .map((part) => encodeURIComponent(part).replaceAll('%2B', '+'))
    .join('|');
  keysOf(provider, model).set(phase, key);
  return key;
}

function keysOf(provider: string, model: string): Map<PhaseKey, string> {
  let byModel = made.get(provider);
  let keys = byModel?.get(model);
  if (keys !== undefined) return keys;
  if (++models > mostModels) {
    made.clear();
    byModel = undefined;
    models = 1;
  }
  byModel ??= new Map();
  keys = new Map();
  byModel.set(model, keys);
  made.set(provider, byModel);
  return keys;
}

export type PhaseKey = JudgedPhase | `${JudgedPhase}+evidence`;

export function phaseKey(phase: JudgedPhase, evidence: boolean): PhaseKey {
  return evidence ? `${phase}+evidence` : phase;
}

export interface KeyView {
  readonly provider: string;
  readonly model: string;
  readonly phase: PhaseKey;
}

export function parseKey(key: string): KeyView {
  const [provider = '', model = '', phase = ''] = key.split('|').map(decodeURIComponent);
  return { provider, model, phase: phase as PhaseKey };
}

/** The phase of a key, and whether it is about silences with evidence inside. */
export function phaseOf(key: PhaseKey): { readonly judged: JudgedPhase; readonly evidence: boolean } {
  const evidence = key.endsWith('+evidence');
  return { judged: (evidence ? key.slice(0, -'+evidence'.length) : key) as JudgedPhase, evidence };
}
