import { definePlugin, type EngineProbe, type EngineReading, type Plugin } from '@turnwatch/plugin';
import type { EngineAccess } from './engine-access.ts';
import { EngineAnswerError, EngineClient } from './engine-client.ts';
import { type EngineOptions, engineOptions } from './engine-options.ts';
import { field } from './json-field.ts';

const floorMs = 1000;

/**
 * A probe of Ollama. It tells which models are loaded and nothing of their work: an Ollama that reads a prompt looks like
 * one that does nothing, so that this probe never gives evidence and its turns are judged by their streams alone.
 */
export function ollamaProbe(options: EngineOptions, access: EngineAccess): EngineProbe {
  const client = new EngineClient(options, access);
  const look = async (signal: AbortSignal): Promise<EngineReading> => {
    const models = field(await client.json('/api/ps', signal), 'models');
    if (!Array.isArray(models))
      throw new EngineAnswerError(200, '/api/ps holds no list of models: is this Ollama?');
    // Busy or not cannot be told apart; without slots it is a sign of nothing.
    return { state: models.length === 0 ? 'unloaded' : 'busy' };
  };
  return { engine: client.name, probe: (signal) => client.look('ollama', floorMs, () => look(signal)) };
}

/** The probe as a plugin. */
export const ollama: Plugin<'probe', EngineOptions> = definePlugin({
  apiVersion: 1,
  kind: 'probe',
  name: 'ollama',
  optionsSchema: engineOptions,
  create: ollamaProbe,
});
