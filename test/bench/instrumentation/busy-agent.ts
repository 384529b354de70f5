import { setTimeout as delay } from 'node:timers/promises';
import { withTurn } from '@turnwatch/instrumentation';

// A busy process: node busy-agent.ts TURNS, with an IPC channel, until it is killed.

const chunkEveryMs = 10;
const chunksOfRequest = 20;
const requestsOfTurn = 5;
const toolMs = 30;

async function agent(): Promise<void> {
  for (;;)
    await withTurn({ agent: 'busy', provider: 'openai', model: 'gpt-5.5-mini' }, async (turn) => {
      for (let request = 0; request < requestsOfTurn; request++) {
        await turn.withRequest({ streaming: true }, async (handle) => {
          for (let chunk = 0; chunk < chunksOfRequest; chunk++) {
            await delay(chunkEveryMs);
            handle.chunk();
          }
        });
        await turn.withToolCall({ name: 'search' }, () => delay(toolMs));
      }
    });
}

for (let turn = 0; turn < Number(process.argv[2]); turn++) void agent();

// Asked: what all threads but this one have used so far, which is the lane and what collects garbage.
process.on('message', () => {
  const all = process.cpuUsage();
  const own = process.threadCpuUsage();
  process.send?.({ mainUs: own.user + own.system, restUs: all.user + all.system - own.user - own.system });
});
process.on('disconnect', () => process.exit());
