import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import type { HeapSaid } from './heap-probe.ts';

// Whatever takes the same records over OTLP/HTTP, in a process of its own: ours, the least that HTTP costs in Node, and
// beside them, in a file of its own, the OpenTelemetry Collector.

export interface RunningReceiver {
  /** Records go to `/v1/logs` below it. */
  readonly url: string;
  readonly pid: number;
  /** Live bytes of its heap after a full collection; undefined where it is no Node process. */
  heapBytes(): Promise<number | undefined>;
  stop(): Promise<void>;
}

export interface Receiver {
  readonly name: string;
  /** Only one that tells of stalled turns can have its time to detection measured. */
  readonly detects: boolean;
  /** @param parentUrl where verdicts are to be told. */
  start(parentUrl: string): Promise<RunningReceiver>;
}

export const webhookSecret = `whsec_${Buffer.from('a secret of the benchmark, 32 b.').toString('base64')}`;
/** Thresholds of the turns that are stalled on purpose; all others keep the defaults. */
export const stalls = { provider: 'bench', model: 'stalls', thresholdMs: 2000, confirmMs: 500 } as const;

async function heapOf(child: Child<HeapSaid>): Promise<number> {
  return (await child.ask({ kind: 'heap?' }, 'heap')).bytes;
}

const probe = ['--expose-gc', '--import', new URL('heap-probe.ts', import.meta.url).href];

/** `turnwatch serve` as people start it, with SQLite on disk. */
export const turnwatch: Receiver = {
  name: 'Turnwatch',
  detects: true,
  async start(parentUrl) {
    const folder = mkdtempSync(join(tmpdir(), 'turnwatch-bench-'));
    const config = join(folder, 'turnwatch.json');
    writeFileSync(config, JSON.stringify({ detector: configOf(folder, parentUrl) }));
    const child = new Child<HeapSaid>('../../../packages/cli/src/main.ts', {
      args: ['serve', '--config', config],
      nodeFlags: probe,
    });
    const url = await child.printed(/ (http:\S+)\/v1\/turns/);
    return {
      url,
      pid: child.pid,
      heapBytes: () => heapOf(child),
      async stop() {
        await child.end();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

function configOf(folder: string, parentUrl: string): object {
  return {
    listen: { port: 0 },
    store: { file: join(folder, 'turnwatch.db') },
    log: { level: 'warn' },
    policy: {
      preset: 'measured',
      floorMs: 0,
      priors: [{ provider: stalls.provider, model: stalls.model, thresholdMs: { text: stalls.thresholdMs } }],
    },
    endpoints: [{ id: 'parent', url: parentUrl, secret: webhookSecret }],
  };
}

/** Takes the bytes, answers, forgets them: what is left is the price of HTTP in Node. */
export const bareHttp: Receiver = {
  name: 'bare HTTP',
  detects: false,
  async start() {
    const child = new Child<HeapSaid | { readonly kind: 'listens'; readonly url: string }>('bare-sink.ts', {
      nodeFlags: probe,
    });
    const { url } = await child.hear('listens');
    return {
      url,
      pid: child.pid,
      heapBytes: async () => (await child.ask({ kind: 'heap?' }, 'heap')).bytes,
      stop: () => child.end(),
    };
  },
};
