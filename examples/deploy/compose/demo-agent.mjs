// An agent that streams answers, runs a tool and, at every fourth turn, stops in the middle until its parent would end it.
// ENDPOINT: where it sends OTLP. ROUNDS: how many turns, default without end. PACE_MS: between two chunks, default 500.
import { setTimeout as delay } from 'node:timers/promises';
import { withTurn } from '@turnwatch/instrumentation';
import { setup } from '@turnwatch/instrumentation/setup';

const { ENDPOINT = 'http://127.0.0.1:4318', ROUNDS = 'Infinity', PACE_MS = '500' } = process.env;
const paceMs = Number(PACE_MS);
const running = await setup({ endpoint: ENDPOINT, serviceName: 'demo-agent' });

for (let round = 1; round <= Number(ROUNDS); round++) {
  const identity = {
    parentId: 'planner',
    agent: 'demo',
    provider: 'demo',
    model: round % 2 ? 'fast' : 'slow',
  };
  await withTurn(identity, async (turn) => {
    const request = turn.request();
    for (let chunk = 0; chunk < 20; chunk++) {
      await delay(paceMs * (0.5 + Math.random()));
      request.chunk('text');
    }
    if (round % 4 === 0) await delay(paceMs * 180);
    request.end({ usage: { inputTokens: 1200, outputTokens: 20 } });
    const tool = turn.tool({ name: 'run_tests' });
    await delay(paceMs * 4);
    tool.end();
  });
  console.log(`turn ${round} is over`);
}
await running.shutdown();
