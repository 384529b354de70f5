import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chatCompletions } from '@turnwatch/testing/provider';
import type { Client, Flag, Launch } from './client.ts';

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
      error: { phase: 'agent', since: 'error' },
      death: request,
      deathInTool: 'idle',
      interrupt: 'cancelled',
      wholeRequests: true,
    },
  },
  slowTool: (seconds) => ({
    name: 'run_shell_command',
    args: { command: `sleep ${seconds}`, description: 'wait', is_background: false },
  }),
  launch({ way, installed, home, api, detector, model }): Launch {
    mkdirSync(join(home, '.qwen'));
    writeFileSync(
      join(home, '.qwen/settings.json'),
      JSON.stringify({
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: 'openai' } },
        telemetry: {
          enabled: way === 'telemetry',
          target: 'local',
          otlpProtocol: 'http',
          otlpEndpoint: detector,
          logPrompts: false,
        },
      }),
    );
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
