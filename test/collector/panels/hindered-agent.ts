import { setTimeout as delay } from 'node:timers/promises';
import { startTurn } from '@turnwatch/instrumentation';
import { setup } from '@turnwatch/instrumentation/setup';

// An agent whose turns are all healthy and look as if they were not: one waits for a person, one reads a long prompt, one
// runs a tool, and one gave a request up and made it again. Argument: where it sends OTLP.

const [endpoint = ''] = process.argv.slice(2);
await setup({ endpoint, serviceName: 'hindered-agent' });

const anthropic = { provider: 'anthropic', model: 'scripted' } as const;
startTurn({ id: 'waits', ...anthropic }).waiting({ for: 'approval' });

const reading = startTurn({ id: 'reads', provider: 'llama.cpp', model: 'qwen3', route: 'local' }).request();
const tool = startTurn({ id: 'runs-a-tool', ...anthropic }).tool({ name: 'run_tests' });
setInterval(() => {
  reading.keepalive();
  tool.progress();
}, 500);

// Long enough for records of their own: what begins and ends at once teaches nothing.
const again = startTurn({ id: 'asks-again', ...anthropic });
const firstRequest = again.request();
await delay(1500);
firstRequest.end({ outcome: 'cancelled', usage: { inputTokens: 6000 } });
const second = again.request();
second.chunk('text');
await delay(1500);
second.chunk('text');
second.end({ usage: { inputTokens: 6000, outputTokens: 20 } });
again.end();
