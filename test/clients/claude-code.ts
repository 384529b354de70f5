import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { messages } from '@turnwatch/testing/provider';
import { byTap, givesUp } from './by-tap.ts';
import type { Client, Flag, Launch } from './client.ts';

const version = '2.1.332';
/** Telemetry tells a request when it is over: it is silent from the prompt, or from the last result of a tool on. */
const prompt: Flag = { phase: 'non_streaming', since: 'request' };

/** It takes none but a UUID. */
function sessionOf(model: string): string {
  const [, ...parts] =
    /^(.{8})(.{4})(.{3})(.{3})(.{12})/.exec(createHash('sha256').update(model).digest('hex')) ?? [];
  const [a, b, c, d, e] = parts;
  return `${a}-${b}-4${c}-8${d}-${e}`;
}

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
      end: 'completed',
      stall: prompt,
      error: 'failed',
      death: prompt,
      deathInTool: { phase: 'tool', since: 'chunk' },
      interrupt: 'completed',
      wholeRequests: true,
    },
    tap: { ...byTap, error: givesUp, interrupt: 'cancelled' },
  },
  conversation: sessionOf,
  // It does not run a long `sleep`, but tells the model to use something else.
  slowTool: (seconds) => ({
    name: 'Bash',
    args: { command: `timeout ${seconds} tail -f /dev/null || true`, description: 'wait' },
  }),
  launch({ way, installed, api, detector, model }): Launch {
    return {
      file: join(installed, 'node_modules/.bin/claude'),
      args: [
        ...['--print', 'please work', '--model', model, '--session-id', sessionOf(model)],
        '--dangerously-skip-permissions',
      ],
      environment: {
        ANTHROPIC_BASE_URL: api,
        ANTHROPIC_API_KEY: 'none',
        ANTHROPIC_SMALL_FAST_MODEL: model,
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
              // The span of a prompt says that its turn has ended; nothing else does.
              OTEL_TRACES_EXPORTER: 'otlp',
              CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
              OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
              OTEL_EXPORTER_OTLP_ENDPOINT: detector,
            }),
      },
    };
  },
};
