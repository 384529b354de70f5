import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Setting } from './client.ts';

interface Own {
  readonly general?: object;
  readonly auth: string;
  readonly [section: string]: unknown;
}

/** The settings file of Gemini CLI and of what was forked from it: nobody logs in, nothing is updated or reported. */
export function writeGeminiSettings(
  folder: string,
  { way, home, detector }: Setting,
  { general, auth, ...sections }: Own,
): void {
  mkdirSync(join(home, folder));
  writeFileSync(
    join(home, folder, 'settings.json'),
    JSON.stringify({
      general: { enableAutoUpdate: false, ...general },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: auth } },
      telemetry: {
        enabled: way === 'telemetry',
        target: 'local',
        otlpProtocol: 'http',
        otlpEndpoint: detector,
        logPrompts: false,
      },
      ...sections,
    }),
  );
}
