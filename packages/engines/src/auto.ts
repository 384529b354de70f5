import { definePlugin, type EngineProbe, type Plugin } from '@turnwatch/plugin';
import { detectKind } from './detect-kind.ts';
import type { EngineAccess } from './engine-access.ts';
import { engineProbe } from './engine-kinds.ts';
import { type EngineOptions, engineName, engineOptions, type InProcessOptions } from './engine-options.ts';
import { PollFloor } from './poll-floor.ts';

/** An engine that is not there, or is none that is known, is not asked who it is more often. */
const detectEveryMs = 10_000;

/** A probe that finds out at its first look which engine answers, and stays with that. */
export function autoProbe(options: EngineOptions & InProcessOptions, access: EngineAccess): EngineProbe {
  const tries = new PollFloor<EngineProbe>();
  let found: EngineProbe | undefined;
  return {
    engine: engineName(options),
    async probe(signal) {
      found ??= await tries.look('kind', detectEveryMs, access.clock.monoMs(), async () =>
        engineProbe(await detectKind(options, access, signal), options, access),
      );
      return found.probe(signal);
    },
  };
}

/** The probe as a plugin. */
export const auto: Plugin<'probe', EngineOptions> = definePlugin({
  apiVersion: 1,
  kind: 'probe',
  name: 'engine',
  optionsSchema: engineOptions,
  create: autoProbe,
});
