import type { EngineAccess } from './engine-access.ts';
import { EngineClient } from './engine-client.ts';
import type { EngineKind } from './engine-kinds.ts';
import type { EngineOptions } from './engine-options.ts';

/** Thrown where an engine answers and is none that is known. */
export class UnknownEngineError extends Error {
  override readonly name = 'UnknownEngineError';
  readonly code = 'TURNWATCH_ERR_UNKNOWN_ENGINE';
}

const byMetric: readonly (readonly [prefix: RegExp, kind: EngineKind])[] = [
  [/^llamacpp:/m, 'llama-cpp'],
  [/^vllm:/m, 'vllm'],
  [/^sglang:/m, 'sglang'],
  [/^tgi_/m, 'tgi'],
];

/**
 * Which engine answers there. Asks `/health` first: llama.cpp says there who it is, without being woken for it.
 * @throws UnknownEngineError, or what `fetch` throws where nobody answers
 */
export async function detectKind(
  options: EngineOptions,
  access: EngineAccess,
  signal: AbortSignal,
): Promise<EngineKind> {
  const client = new EngineClient(options, access);
  const health = await client.ask('/health', signal);
  if (health.headers.server === 'llama.cpp') return 'llama-cpp';
  const metrics = await client.ask('/metrics', signal);
  const counted = metrics.status === 200 ? byMetric.find(([form]) => form.test(metrics.body)) : undefined;
  if (counted !== undefined) return counted[1];
  const version = await client.ask('/api/version', signal);
  if (version.status === 200 && /^\s*\{\s*"version"/.test(version.body)) return 'ollama';
  for (const path of ['/api/v1/models', '/api/v0/models']) {
    const models = await client.ask(path, signal);
    if (models.status === 200 && /"loaded_instances"|"state"\s*:\s*"(not-)?loaded"/.test(models.body))
      return 'lm-studio';
  }
  throw new UnknownEngineError(
    `${options.url} answers, but as no engine that is known here; say which it is with --kind, or give a vLLM, SGLang or TGI its metrics`,
  );
}
