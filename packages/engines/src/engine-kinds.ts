import type { EngineProbe } from '@turnwatch/plugin';
import type { EngineAccess } from './engine-access.ts';
import type { EngineOptions, InProcessOptions } from './engine-options.ts';
import { llamaCppProbe } from './llama-cpp.ts';
import { lmStudioProbe } from './lm-studio.ts';
import { ollamaProbe } from './ollama.ts';
import { sglangProbe } from './sglang.ts';
import { tgiProbe } from './tgi.ts';
import { vllmProbe } from './vllm.ts';

type MakeProbe = (options: EngineOptions & InProcessOptions, access: EngineAccess) => EngineProbe;

/** Engines that have a probe of their own; any other with counters goes by `prometheusProbe`. */
export type EngineKind = 'llama-cpp' | 'vllm' | 'sglang' | 'tgi' | 'ollama' | 'lm-studio';

const makers: Readonly<Record<EngineKind, MakeProbe>> = {
  'llama-cpp': llamaCppProbe,
  vllm: vllmProbe,
  sglang: sglangProbe,
  tgi: tgiProbe,
  ollama: ollamaProbe,
  'lm-studio': lmStudioProbe,
};

export const engineKinds: readonly EngineKind[] = Object.keys(makers).filter(isEngineKind);

export function isEngineKind(name: string): name is EngineKind {
  return Object.hasOwn(makers, name);
}

/** The probe of an engine of that kind. */
export function engineProbe(
  kind: EngineKind,
  options: EngineOptions & InProcessOptions,
  access: EngineAccess,
): EngineProbe {
  return makers[kind](options, access);
}
