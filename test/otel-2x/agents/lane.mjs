// An agent without any OpenTelemetry SDK: one endless streaming request, on the heartbeat lane.
import { startTurn } from '@turnwatch/instrumentation';

const { TRACE_ID, BLOCK_MS, END } = process.env;
const turn = startTurn({ id: 'A', traceId: TRACE_ID, provider: 'acme', expiresInMs: 3_600_000 });
const request = turn.request({ id: 'r1' });
const chunks = setInterval(() => request.chunk('text'), 50);

function block(ms) {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

console.log('ready');
setTimeout(() => {
  if (BLOCK_MS !== undefined) block(Number(BLOCK_MS));
  if (END === 'exit') process.exit(3);
  if (END === 'throw') throw new Error('of the agent');
  if (END === 'return') {
    clearInterval(chunks);
    console.log('work done');
  }
}, 1300);
