import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chatCompletions } from '@turnwatch/testing/provider';
import type { Client, Launch } from './client.ts';

const version = '7.0.173';
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** A small app with the Vercel AI SDK. */
export const aiSdk: Client = {
  name: 'ai-sdk',
  version,
  packages: {
    '@ai-sdk/openai-compatible': '3.0.92',
    '@ai-sdk/otel': '1.0.173',
    '@opentelemetry/sdk-node': '0.301.0',
    ai: version,
  },
  dialect: chatCompletions,
  sight: {
    // Spans go out when they have ended: a call that stalls or dies is never heard of.
    telemetry: {
      heldBackMs: 5000,
      seesComments: false,
      end: 'completed',
      stall: 'unseen',
      error: 'failed',
      death: 'unseen',
      deathInTool: 'unseen',
    },
    register: {
      heldBackMs: 0,
      seesComments: true,
      end: 'completed',
      stall: { phase: 'text', since: 'chunk' },
      error: 'failed',
      death: { phase: 'text', since: 'signal', reason: 'process_unreachable' },
      deathInTool: { phase: 'tool', since: 'signal', reason: 'process_unreachable' },
    },
    // It sends nothing that ties its requests together, and one that dies has given its request up.
    tap: {
      heldBackMs: 0,
      seesComments: true,
      end: 'completed',
      stall: { phase: 'text', since: 'chunk' },
      error: 'failed',
      death: 'cancelled',
      deathInTool: 'completed',
      turnPerRequest: true,
    },
  },
  slowTool: (seconds) => ({ name: 'wait', args: { seconds } }),
  launch({ way, installed, api, detector, model }): Launch {
    // Beside its packages, where it finds them.
    const place = (file: string): string => {
      const placed = join(installed, file);
      // Moved into place as a whole: another case may be reading it, and half an app ends well without a word.
      copyFileSync(here(`apps/${file}`), `${placed}.${process.pid}`);
      renameSync(`${placed}.${process.pid}`, placed);
      return placed;
    };
    const flags = {
      telemetry: ['--import', place('ai-sdk-telemetry.mjs')],
      register: [
        ...['--conditions=@turnwatch/source', '--import'],
        here('../../packages/instrumentation/src/register.ts'),
      ],
      tap: [],
    }[way];
    return {
      file: process.execPath,
      args: [...flags, place('ai-sdk.mjs'), `${api}/v1`, model],
      environment: {
        ...(way === 'telemetry' ? { OTEL_EXPORTER_OTLP_ENDPOINT: detector } : {}),
        ...(way === 'register' ? { TURNWATCH_ENDPOINT: detector } : {}),
      },
    };
  },
};
