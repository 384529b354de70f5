import { definePlugin, type EngineProbe, type EngineReading, type Plugin } from '@turnwatch/plugin';
import type { EngineAccess } from './engine-access.ts';
import { EngineAnswerError, EngineClient } from './engine-client.ts';
import { type EngineOptions, engineOptions } from './engine-options.ts';
import { field } from './json-field.ts';

const floorMs = 1000;

/**
 * A probe of LM Studio. Its API tells which models are loaded and nothing of their work; how far a prompt is read it tells
 * in the stream of its own `/api/v1/chat` alone, where the stream observer sees it.
 */
export function lmStudioProbe(options: EngineOptions, access: EngineAccess): EngineProbe {
  const client = new EngineClient(options, access);
  const look = async (signal: AbortSignal): Promise<EngineReading> => {
    const { status, body } = await client.ask('/api/v1/models', signal);
    // Before version 0.4 there is only the older API.
    const loaded =
      status === 200
        ? loadedNow(JSON.parse(body))
        : loadedBefore(await client.json('/api/v0/models', signal));
    if (loaded === undefined)
      throw new EngineAnswerError(status, 'the list of models is none of LM Studio: is this its address?');
    return { state: loaded ? 'busy' : 'unloaded' };
  };
  return { engine: client.name, probe: (signal) => client.look('lm-studio', floorMs, () => look(signal)) };
}

function loadedNow(answer: unknown): boolean | undefined {
  const models = field(answer, 'models');
  if (!Array.isArray(models)) return undefined;
  return models.some((model) => {
    const instances = field(model, 'loaded_instances');
    return Array.isArray(instances) && instances.length > 0;
  });
}

function loadedBefore(answer: unknown): boolean | undefined {
  const models = field(answer, 'data');
  return Array.isArray(models) ? models.some((model) => field(model, 'state') === 'loaded') : undefined;
}

/** The probe as a plugin. */
export const lmStudio: Plugin<'probe', EngineOptions> = definePlugin({
  apiVersion: 1,
  kind: 'probe',
  name: 'lm-studio',
  optionsSchema: engineOptions,
  create: lmStudioProbe,
});
