import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestHost } from '@turnwatch/plugin/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type PrometheusOptions, prometheus, prometheusProbe } from './prometheus.ts';
import { sumsOf } from './prometheus-text.ts';

const page = `# HELP vllm:num_requests_running Running.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="a b}"} 2.0
vllm:num_requests_running{model_name="c"} 1
vllm:num_requests_waiting 4 1700000000000
vllm:prompt_tokens_total{engine="0"} 12298
vllm:generation_tokens_total 77
other NaN
`;
const metrics = {
  running: 'vllm:num_requests_running',
  waiting: 'vllm:num_requests_waiting',
  read: 'vllm:prompt_tokens_total',
  generated: 'vllm:generation_tokens_total',
};

async function engine(answer: { status: number; body: string }): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.headers.authorization));
    response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`, seen };
}

const look = (options: PrometheusOptions, host = new TestHost()) =>
  prometheusProbe(options, host).probe(new AbortController().signal);

test('counters are summed over labels and are one slot that nobody owns', async () => {
  const { url, seen } = await engine({ status: 200, body: page });
  const host = new TestHost({ secrets: { TOKEN: 's3cret' } });
  expect(await look({ url, engine: 'gpu-1', tokenEnv: 'TOKEN', metrics }, host)).toEqual({
    state: 'busy',
    queued: 4,
    slots: [{ id: 0, read: 12_298, generated: 77 }],
  });
  expect(seen).toEqual(['Bearer s3cret']);
});

test('nothing running is idle', async () => {
  const { url } = await engine({ status: 200, body: 'vllm:num_requests_running 0\n' });
  expect(await look({ url, engine: 'e', metrics })).toEqual({ state: 'idle', queued: 0 });
});

test('an error status and a page without the metric are no reading', async () => {
  const failing = await engine({ status: 503, body: '' });
  await expect(look({ url: failing.url, engine: 'e', metrics })).rejects.toThrow('answered 503');
  const other = await engine({ status: 200, body: 'llamacpp:requests_processing 1\n' });
  await expect(look({ url: other.url, engine: 'e', metrics })).rejects.toThrow(
    'there is no metric vllm:num_requests_running',
  );
});

test('a gauge alone is refused: it moves without any work', async () => {
  const judged = await prometheus.optionsSchema?.['~standard'].validate({
    url: 'http://127.0.0.1:1/metrics',
    engine: 'e',
    metrics: { running: 'up' },
  });
  expect(judged?.issues?.map(({ message }) => message)).toEqual([expect.stringContaining('needs read or')]);
});

test('values that are no numbers do not count', () => {
  expect(sumsOf(page, new Set(['other']))).toEqual(new Map());
});
