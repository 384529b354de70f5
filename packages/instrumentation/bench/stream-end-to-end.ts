// CPU of the reading thread per event of a real stream over a real socket, plain and observed, in turns, as JSON:
//   node --conditions=@turnwatch/source packages/instrumentation/bench/stream-end-to-end.ts
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { observeFetch, setLoggerProvider, tapUndici, withTurn } from '../src/index.ts';

const events = 12_000;
const rounds = 9;

// A thread of its own, so that its work is not counted.
const server = new Worker(
  `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const event = 'data: ' + JSON.stringify({ id: 'chatcmpl-9lNy7uRzQsXuCqSmTtF6kqLwZ2f1V', object: 'chat.completion.chunk',
    created: 1796038995, model: 'm', choices: [{ index: 0, delta: { content: ' weather' }, logprobs: null, finish_reason: null }] }) + '\\n\\n';
  createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let left = ${events};
    const next = () => {
      if (left-- > 0) response.write(event, () => setImmediate(next));
      else response.end('data: [DONE]\\n\\n');
    };
    next();
  }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`,
  { eval: true },
);
const [port] = (await once(server, 'message')) as [number];
const url = `http://127.0.0.1:${port}/v1/chat/completions`;
const ask = { method: 'POST', body: '{"stream":true}' };

setLoggerProvider({ getLogger: () => ({ emit: () => undefined }) });

async function usPerEvent(send: typeof fetch): Promise<number> {
  const { body } = await send(url, ask);
  const before = process.threadCpuUsage();
  let bytes = 0;
  for await (const piece of body ?? []) bytes += piece.length;
  const { user, system } = process.threadCpuUsage(before);
  if (bytes === 0) throw new Error('nothing was read');
  return (user + system) / events;
}

const ways: Readonly<Record<string, () => Promise<number>>> = {
  plain: () => usPerEvent(fetch),
  observeFetch: () => withTurn({}, () => usPerEvent(observeFetch(fetch))),
  tapUndici: async () => {
    const stop = tapUndici();
    try {
      return await withTurn({}, () => usPerEvent(fetch));
    } finally {
      stop();
    }
  },
};
const times: Record<string, number[]> = {};
for (let round = 0; round < rounds; round++)
  for (const [name, run] of Object.entries(ways)) {
    times[name] ??= [];
    times[name].push(await run());
  }
const median = (values: readonly number[]): number =>
  Number(([...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN).toFixed(2));
const result = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
console.log(
  JSON.stringify({ bench: 'stream-end-to-end', node: process.version, unit: 'us CPU per event', result }),
);
await server.terminate();
