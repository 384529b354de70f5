// An agent without an SDK, which ends by itself, without any goodbye.
import { withTurn } from '@turnwatch/instrumentation';
import { setup } from '@turnwatch/instrumentation/setup';

const telemetry = await setup({ endpoint: process.env.ENDPOINT, serviceName: 'with-setup' });
await withTurn({ id: 'A', traceId: process.env.TRACE_ID, agent: 'worker' }, (turn) =>
  turn.withRequest({ id: 'r1' }, async (request) => {
    request.chunk('reasoning');
    await new Promise((resolve) => setTimeout(resolve, Number(process.env.WORK_MS ?? 1300)));
    request.chunk('text');
  }),
);
console.log('work done');
if (process.env.SHUTDOWN === 'yes') await telemetry.shutdown();
