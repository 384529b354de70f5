import { fileURLToPath } from 'node:url';
import type { Client, Launch, Sight } from './client.ts';
import { codex, configured, programOf } from './codex.ts';

const app = fileURLToPath(new URL('apps/codex-app.mjs', import.meta.url));
const { telemetry, tap } = codex.sight as { readonly telemetry: Sight; readonly tap: Sight };

/** Codex's server for screens and editors: it outlives its turns, so that nothing of their ends is lost. */
export const codexApp: Client = {
  ...codex,
  name: 'codex-app',
  installedAs: codex.name,
  canBeGivenUp: true,
  sight: {
    telemetry: { ...telemetry, error: 'failed', interrupt: 'cancelled' },
    tap,
  },
  // A server whose screen is killed ends by itself, in good order. Its sub-agents cannot be told from their parent here.
  leavesOut: ['death', 'tool-death', 'resume', 'sub-agent'],
  launch: (setting): Launch => ({
    file: process.execPath,
    args: [app, programOf(setting)],
    environment: configured(setting),
  }),
};
