import { join } from 'node:path';
import { messages } from '@turnwatch/testing/provider';
import type { Client, Flag, Launch } from './client.ts';

const version = '2.1.332';
/** Telemetry tells a request when it is over: the first one is silent from the prompt on. */
const prompt: Flag = { phase: 'non_streaming', since: 'request' };

/** Anthropic's Claude Code. */
export const claudeCode: Client = {
  name: 'claude-code',
  version,
  packages: { '@anthropic-ai/claude-code': version },
  dialect: messages,
  sight: {
    telemetry: {
      heldBackMs: 5000,
      seesComments: false,
      end: 'idle',
      stall: prompt,
      error: prompt,
      death: prompt,
      wholeRequests: true,
    },
    tap: {
      heldBackMs: 0,
      seesComments: true,
      end: 'completed',
      stall: { phase: 'text', since: 'chunk' },
      error: { phase: 'agent', since: 'error' },
      death: { phase: 'agent', since: 'death' },
    },
  },
  slowTool: (seconds) => ({ name: 'Bash', args: { command: `sleep ${seconds}`, description: 'wait' } }),
  launch({ way, installed, api, detector, model }): Launch {
    return {
      file: join(installed, 'node_modules/.bin/claude'),
      args: ['--print', 'please work', '--model', model, '--dangerously-skip-permissions'],
      environment: {
        ANTHROPIC_BASE_URL: api,
        ANTHROPIC_API_KEY: 'none',
        ANTHROPIC_SMALL_FAST_MODEL: `${model}-aside`,
        // Two tries in the place of eleven, which take minutes.
        CLAUDE_CODE_MAX_RETRIES: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        // It refuses to skip permissions for root elsewhere.
        IS_SANDBOX: '1',
        ...(way === 'tap'
          ? {}
          : {
              CLAUDE_CODE_ENABLE_TELEMETRY: '1',
              OTEL_LOGS_EXPORTER: 'otlp',
              OTEL_METRICS_EXPORTER: 'otlp',
              OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
              OTEL_EXPORTER_OTLP_ENDPOINT: detector,
            }),
      },
    };
  },
};
