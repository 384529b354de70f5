import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { responses } from '@turnwatch/testing/provider';
import { byTap, givesUp } from './by-tap.ts';
import type { Client, Launch, Setting } from './client.ts';

const version = '0.171.0';
const compactsAfterWords = 1000;
const subAgentTask = 'be a sub-agent';

/** OpenAI Codex CLI. */
export const codex: Client = {
  name: 'codex',
  version,
  packages: { '@openai/codex': version },
  dialect: responses,
  sight: {
    telemetry: {
      heldBackMs: 1000,
      seesComments: false,
      end: 'completed',
      stall: { phase: 'text', since: 'chunk' },
      error: { phase: 'first_token', since: 'error', lastMayBeLost: true },
      death: { phase: 'text', since: 'chunk' },
      deathInTool: { phase: 'tool', since: 'chunk' },
      // Its last second of logs and its spans are mostly lost then: nothing tells it from a death.
      interrupt: { phase: 'text', since: 'chunk', orCancelled: true },
      abandoned: 'stopped',
    },
    tap: { ...byTap, error: givesUp, interrupt: 'cancelled', abandoned: 'cancelled' },
  },
  asksAgain: true,
  compactsAfterWords,
  subAgent: {
    start: { namespace: 'multi_agent_v1', name: 'spawn_agent', args: { message: subAgentTask } },
    // Its parent's requests have it too, among the arguments of a call.
    isIts: ({ body }) => JSON.stringify(body.input).includes(`"text":"${subAgentTask}"`),
  },
  slowTool: (seconds) => ({
    name: 'exec_command',
    args: { cmd: `sleep ${seconds}`, yield_time_ms: 30_000 },
  }),
  launch(setting): Launch {
    const turn = ['exec', ...(setting.resumes ? ['resume', '--last'] : []), '--skip-git-repo-check'];
    return {
      file: process.execPath,
      args: [programOf(setting), ...turn, 'please work'],
      environment: configured(setting),
    };
  },
};

/** Its script, which starts the program itself. */
export function programOf({ installed }: Setting): string {
  return join(installed, 'node_modules/@openai/codex/bin/codex.js');
}

/** Writes its configuration. @returns where that is */
export function configured(setting: Setting): Readonly<Record<string, string>> {
  const home = join(setting.home, '.codex');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'config.toml'), configOf(setting));
  return { CODEX_HOME: home, SCRIPTED_KEY: 'none' };
}

function configOf({ way, api, detector, model }: Setting): string {
  const exporter = (signal: string): string =>
    way === 'tap' ? '"none"' : `{ otlp-http = { endpoint = "${detector}/v1/${signal}", protocol = "json" } }`;
  return `
model = "${model}"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_auto_compact_token_limit = ${compactsAfterWords}
[model_providers.scripted]
name = "scripted"
base_url = "${api}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
stream_max_retries = 1
request_max_retries = 1
[otel]
environment = "test"
exporter = ${exporter('logs')}
trace_exporter = ${exporter('traces')}
metrics_exporter = ${exporter('metrics')}
[analytics]
enabled = false
[feedback]
enabled = false
`;
}
