import type { JudgedPhase } from './policy.ts';

/** A learned key: provider | model | phase, with `+evidence` where evidence came in the phase (RULES 3). */
export function baselineKey(provider: string, model: string, phase: PhaseKey): string {
  return [provider, model, phase].map((part) => encodeURIComponent(part).replaceAll('%2B', '+')).join('|');
}

export type PhaseKey = JudgedPhase | `${JudgedPhase}+evidence`;

export function phaseKey(phase: JudgedPhase, evidence: boolean): PhaseKey {
  return evidence ? `${phase}+evidence` : phase;
}

export interface KeyView {
  readonly provider: string;
  readonly model: string;
  readonly phase: string;
}

export function parseKey(key: string): KeyView {
  const [provider = '', model = '', phase = ''] = key.split('|').map(decodeURIComponent);
  return { provider, model, phase };
}
