import { join } from 'node:path';
import { generateContent } from '@turnwatch/testing/provider';
import { byTap, givesUp } from './by-tap.ts';
import type { Client, Flag, Launch } from './client.ts';
import { writeGeminiSettings } from './gemini-settings.ts';

const version = '0.61.0';
/** Telemetry tells no chunk: a request is silent from its begin on. */
const request: Flag = { phase: 'first_token', since: 'request' };

/** Google's Gemini CLI. */
export const geminiCli: Client = {
  name: 'gemini-cli',
  version,
  packages: { '@google/gemini-cli': version },
  dialect: generateContent,
  sight: {
    telemetry: {
      heldBackMs: 5000,
      seesComments: false,
      end: 'idle',
      stall: request,
      error: { phase: 'agent', since: 'error' },
      death: request,
      deathInTool: 'idle',
      // It shuts its telemetry down before it gives its request up: nothing tells it from a death.
      interrupt: request,
      wholeRequests: true,
    },
    tap: { ...byTap, error: givesUp, interrupt: 'cancelled' },
  },
  breaksAtComments: true,
  slowTool: (seconds) => ({
    name: 'run_shell_command',
    args: { command: `sleep ${seconds}`, description: 'wait' },
  }),
  launch(setting): Launch {
    const { installed, api, model } = setting;
    // Two tries in the place of ten, which take four minutes.
    writeGeminiSettings('.gemini', setting, { general: { maxAttempts: 2 }, auth: 'gemini-api-key' });
    return {
      file: process.execPath,
      args: [
        join(installed, 'node_modules/@google/gemini-cli/bundle/gemini.js'),
        ...['--model', model, '--approval-mode', 'yolo', '--skip-trust', '--prompt', 'please work'],
      ],
      environment: {
        GEMINI_API_KEY: 'none',
        GOOGLE_GEMINI_BASE_URL: api,
        // What ties its requests together for the tap: it sends nothing of the kind by itself.
        GEMINI_CLI_CUSTOM_HEADERS: `X-Turnwatch-Conversation-Id: ${model}`,
      },
    };
  },
};
