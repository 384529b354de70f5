import { fileURLToPath } from 'node:url';
import type { EngineSignal, Signal } from '@turnwatch/core';
import {
  type RunningDetector,
  runDetector,
} from '../../../packages/detector/src/testing/running-detector.ts';
import { post, ScriptedAgent } from '../../../packages/detector/src/testing/scripted-agent.ts';
import { WebhookSink } from '../../../packages/detector/src/testing/webhook-sink.ts';
import { AgentScrape } from './agent-scrape.ts';
import { oftenInTests, RunningPrometheus } from './running-prometheus.ts';

export const rulesFile: string = fileURLToPath(new URL('../../alerts/turnwatch.rules.yaml', import.meta.url));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const openai = { provider: 'openai', model: 'gpt-5', parentId: 'planner' } as const;

/** A real detector that a real Prometheus scrapes while agents stall, recover, expire, read, run tools and wait. */
export class LiveScene {
  readonly sink: WebhookSink = new WebhookSink();
  readonly agents: AgentScrape = new AgentScrape();
  readonly #probe = new ScriptedAgent('probe');
  #running: RunningDetector | undefined;
  #prometheus: RunningPrometheus | undefined;

  get running(): RunningDetector {
    return started(this.#running);
  }

  get prometheus(): RunningPrometheus {
    return started(this.#prometheus);
  }

  async start(): Promise<void> {
    await this.sink.listen();
    this.#running = await runDetector({
      endpoints: [
        { id: 'planner', url: this.sink.url, secrets: [secret] },
        // Nothing listens there.
        { id: 'away', url: 'http://127.0.0.1:9/hook', secrets: [secret] },
      ],
      webhook: { allowPrivate: ['127.0.0.0/8'] },
    });
    const target = (job_name: string, address: string) => ({
      job_name,
      static_configs: [{ targets: [address] }],
    });
    this.#prometheus = await RunningPrometheus.start({
      config: {
        global: oftenInTests,
        rule_files: [rulesFile],
        scrape_configs: [
          target('turnwatch', `127.0.0.1:${this.running.port}`),
          target('agents', await this.agents.listen()),
        ],
      },
    });
  }

  /** Also after a start that failed. */
  async stop(): Promise<void> {
    await this.#prometheus?.end();
    await this.#running?.detector.stop();
    await this.agents.close();
    await this.sink.close();
  }

  async #stall(agent: ScriptedAgent): Promise<void> {
    agent.a += 5000;
    await this.#send([agent.says({ name: 'heartbeat' }, 5000), agent.beat()]);
    this.running.pass(1);
  }

  /** Two waves with scrapes between: a rate needs a before. */
  async play(): Promise<void> {
    const { running, agents, prometheus, sink } = this;
    const calls = [{ id: 'c', name: 'run_tests', startedA: 0, quietSinceA: 0, updates: 0 }];
    const tool = new ScriptedAgent('tool', openai);
    const waiting = new ScriptedAgent('waiting', openai);
    const reading = new ScriptedAgent('reading', { provider: 'llama.cpp', model: 'qwen3', route: 'local' });
    const quick = new ScriptedAgent('quick', openai);
    const expires = new ScriptedAgent('expires', openai);
    const stuck = new ScriptedAgent('stuck', openai);
    const wrong = new ScriptedAgent('wrong', openai);
    const requests = [{ id: 'r', startedA: 0, streaming: true }];
    await this.#send([
      tool.says({ name: 'started' }, 0, { phase: 'tool', calls }),
      waiting.says({ name: 'started' }, 0, { phase: 'waiting', waiting: { for: 'approval', sinceA: 0 } }),
      reading.says({ name: 'started' }, 0, { phase: 'first_token', requests }),
      expires.says({ name: 'started' }, 0, { expiresInMs: 1500 }),
      ...[tool, waiting, reading, expires].map((agent) => agent.beat()),
      this.#engine(1000, 0),
    ]);
    quick.a = 400;
    await this.#send([
      quick.says({ name: 'started' }, 0),
      quick.says({ name: 'ended', outcome: 'completed' }, 400),
    ]);
    agents.work(6000, 800);
    await this.#stall(stuck);
    await prometheus.scraped();
    await this.#stall(wrong);
    await this.#stall(new ScriptedAgent('later', openai));
    wrong.a += 500;
    await this.#send([wrong.says({ name: 'step' }, 0, { phase: 'tool', calls }), wrong.beat()]);
    const unusable =
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"turnwatch.turn.heartbeat"}]}]}]}';
    const headers = { 'content-type': 'application/json' };
    await fetch(`${running.url}/v1/logs`, { method: 'POST', headers, body: unusable });
    await this.#send([this.#engine(3000, 0)]);
    running.pass(1);
    await this.#send([this.#engine(4000, 0)]);
    running.pass(1);
    await this.#send([this.#engine(4000, 20)]);
    await prometheus.scraped();
    running.pass(1);
    await this.#send([this.#engine(5000, 20)]);
    running.pass(1);
    await this.#send([
      this.#engine(5000, 60),
      { type: 'process', origin: tool.beat().origin, name: 'suspending' },
    ]);
    agents.work(9000, 1900);
    running.clocks.advance(40_000);
    running.detector.tick();
    await sink.until(3);
    await prometheus.scraped();
    await prometheus.scraped();
  }

  #engine(read: number, generated: number): EngineSignal {
    return {
      type: 'engine',
      origin: this.#probe.beat().origin,
      engine: 'local',
      state: 'busy',
      queued: 2,
      slots: [{ id: 0, read, generated }],
    };
  }

  /** With the agents' own instants, a fifth of a second ago. */
  #send(signals: readonly Signal[]): Promise<Response> {
    const { clocks, url } = this.running;
    return post(
      url,
      signals.map((signal): Signal => {
        if (signal.type === 'canary') return signal;
        return { ...signal, origin: { ...signal.origin, wallMs: clocks.wallMs() - 200 } };
      }),
    );
  }
}

function started<T>(of: T | undefined): T {
  if (of === undefined) throw new Error('the scene has not started');
  return of;
}
