import { join } from 'node:path';
import { chatCompletions } from '@turnwatch/testing/provider';
import { byTap } from './by-tap.ts';
import type { Client, Flag, Launch } from './client.ts';
import { writeGeminiSettings } from './gemini-settings.ts';

const version = '0.24.4';
/** Telemetry tells no chunk: a request is silent from its begin on. */
const request: Flag = { phase: 'first_token', since: 'request' };

/** Qwen Code, a fork of Gemini CLI. */
export const qwenCode: Client = {
  name: 'qwen-code',
  version,
  packages: { '@qwen-code/qwen-code': version },
  dialect: chatCompletions,
  sight: {
    telemetry: {
      heldBackMs: 2000,
      seesComments: false,
      end: 'completed',
      stall: request,
      death: request,
      deathInTool: 'idle',
      interrupt: 'cancelled',
      wholeRequests: true,
    },
    tap: { ...byTap, interrupt: 'cancelled' },
  },
  // It does not run a long `sleep`, but tells the model to use something else.
  slowTool: (seconds) => ({
    name: 'run_shell_command',
    args: {
      command: `timeout ${seconds} tail -f /dev/null || true`,
      description: 'wait',
      is_background: false,
    },
  }),
  launch(setting): Launch {
    const { way, installed, api, model } = setting;
    writeGeminiSettings('.qwen', setting, {
      auth: 'openai',
      // What ties its requests together for the tap: it sends nothing of the kind by itself.
      model: { generationConfig: { customHeaders: { 'X-Turnwatch-Conversation-Id': model } } },
      // It runs after the turn under a prompt of its own, which telemetry tells and requests do not.
      memory: { enableManagedAutoMemory: way === 'telemetry' },
    });
    return {
      file: process.execPath,
      args: [
        join(installed, 'node_modules/@qwen-code/qwen-code/cli.js'),
        ...['--model', model, '--approval-mode', 'yolo', '--prompt', 'please work'],
      ],
      environment: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${api}/v1`, OPENAI_MODEL: model },
    };
  },
};
