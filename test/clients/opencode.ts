import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chatCompletions } from '@turnwatch/testing/provider';
import { byTap, givesUp } from './by-tap.ts';
import type { Client, Launch } from './client.ts';

const version = '1.18.33';

/** opencode, with a provider of its own configuration. */
export const opencode: Client = {
  name: 'opencode',
  version,
  packages: { 'opencode-ai': version },
  dialect: chatCompletions,
  sight: {
    tap: { ...byTap, error: givesUp },
  },
  slowTool: (seconds) => ({ name: 'bash', args: { command: `sleep ${seconds}`, description: 'wait' } }),
  launch({ installed, home, api, model }): Launch {
    writeFileSync(
      join(home, 'opencode.json'),
      JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        model: `scripted/${model}`,
        small_model: `scripted/${model}`,
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${api}/v1`, apiKey: 'none' },
            models: { [model]: {} },
          },
        },
        permission: { bash: 'allow' },
      }),
    );
    return {
      file: join(installed, 'node_modules/.bin/opencode'),
      // With a title of ours it does not ask for one, in a request that is no part of the turn.
      args: ['run', '--title', 'work', 'please work'],
      environment: { OPENCODE_DISABLE_MODELS_FETCH: '1' },
    };
  },
};
