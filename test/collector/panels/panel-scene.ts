import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ScriptedProvider } from '@turnwatch/testing/provider';
import { RunningPrometheus } from '../../../dashboards/src/testing/running-prometheus.ts';
import { DemoChild } from '../../../packages/cli/src/demo/child.ts';
import type { Message } from '../../../packages/cli/src/demo/message.ts';
import {
  demoPolicyInput,
  killAfterMs,
  parentName,
  story,
  type WorkerName,
} from '../../../packages/cli/src/demo/story.ts';
import { post, ScriptedAgent } from '../../../packages/detector/src/testing/scripted-agent.ts';
import { freePorts } from '../free-port.ts';
import { pathOf } from '../program.ts';
import { RealDetector } from '../real-detector.ts';
import { RunningCollector } from '../running-collector.ts';
import { composed, type Places } from './compose-wiring.ts';
import { playEngine } from './engine-part.ts';
import { type Ending, SceneProcess } from './scene-process.ts';

/** Of the agents' own metrics: sent each second. */
const metricsByOtlp = { OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: '1000' } as const;
/** Of the compose file's agent: four turns of a second, the last of which is silent for 180 paces and then goes on. */
const demoPace = { ROUNDS: '4', PACE_MS: '40' } as const;
/** What the planner is told: four verdicts, one of them withdrawn, and an expiry. */
const toldInAll = 6;
/** 16 of the compose file's agent (4 turns, 4 phases), 6 of worker-1 (2 turns that end, 3 phases), 3 of asks-again. */
export const gapsInAll = 25;
/** 4 of the compose file's agent, 3 of worker-1 (long-read, lost-tool, wedged), 2 of asks-again. */
export const requestsInAll = 9;
const workers: readonly WorkerName[] = ['worker-1', 'worker-2'];

/** One of ours that says nothing of which turn it is about. */
const unusable =
  '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"turnwatch.turn.heartbeat"}]}]}]}';

/**
 * Everybody in one scene, each in a process of its own but the detector: the agents of `turnwatch demo`, the one of the
 * compose file and one more, and `turnwatch engine`, which all send to a real Collector; the detector behind it; and a real
 * Prometheus that scrapes as the compose file says, and takes the metrics of one agent by OTLP.
 */
export class PanelScene {
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #waitsFor = new Set<string>();
  #fail: (error: Error) => void = () => undefined;
  #prometheus: RunningPrometheus | undefined;

  get prometheus(): RunningPrometheus {
    if (this.#prometheus === undefined) throw new Error('Prometheus has not been started');
    return this.#prometheus;
  }

  /**
   * Until all has happened and Prometheus knows of it.
   * @throws Error when one of the processes ends before its time, and when something of it has not happened after `limitMs`
   */
  async play(limitMs: number): Promise<void> {
    const lost = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    const timer = setTimeout(
      () => this.#fail(new Error(`after ${limitMs} ms this is not yet: ${[...this.#waitsFor].join('; ')}`)),
      limitMs,
    );
    try {
      await Promise.race([this.#play(), lost]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends everybody that was started, the last first. */
  async end(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
  }

  async #play(): Promise<void> {
    const [port = 0] = await freePorts(1);
    const places: Places = { 'detector:4319': `127.0.0.1:${port}` };
    const collector = await this.#starts(RunningCollector.start(composed.collector(places)));
    await this.#until('the Collector loses a record', refuseOne(port, collector));
    const prometheus = await this.#starts(
      RunningPrometheus.start({
        command: pathOf('prometheus'),
        args: ['--web.enable-otlp-receiver'],
        config: composed.prometheus({
          ...places,
          'collector:8889': new URL(collector.metricsUrl).host,
          'collector:8888': new URL(collector.ownMetricsUrl).host,
        }),
      }),
    );
    this.#prometheus = prometheus;
    await this.#waitInTheQueue(collector.url);

    const told = new Set<string>();
    const detector = await this.#detector(port, collector.url, (message) => {
      if (message.kind === 'told') told.add(message.id);
    });
    await this.#until('the canary comes through', detector.hears('collector'));
    await Promise.all([
      this.#storyOfTheDemo(detector, collector.url),
      this.#agents(detector, collector.url, prometheus.url),
      playEngine({
        says: (expr) => this.#says(expr),
        endpoint: collector.url,
        take: (one) => this.#take(one),
      }),
    ]);
    const allTold = async (): Promise<void> => {
      while (told.size < toldInAll) await delay(50);
    };
    await this.#until(`the planner is told ${toldInAll} times`, allTold());
    await this.#isKnown();
  }

  /** The detector is away: what comes for it waits in the Collector, and Prometheus sees both. */
  async #waitInTheQueue(endpoint: string): Promise<void> {
    const { origin } = new ScriptedAgent('sleeper').beat();
    const sleeps = await post(endpoint, [{ type: 'process', origin, name: 'suspending' }]);
    const wrong = await fetch(`${endpoint}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: unusable,
    });
    if (!sleeps.ok || !wrong.ok) throw new Error(`the Collector says ${sleeps.status} and ${wrong.status}`);
    await this.#says('otelcol_exporter_queue_size{exporter="otlp_http/turnwatch", data_type="logs"} == 2');
    await this.#says('ALERTS{alertname="TurnwatchDetectorDown"}');
  }

  async #detector(
    port: number,
    endpoint: string,
    onMessage: (message: Message) => void,
  ): Promise<RealDetector> {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const parent = this.#child('parent', 'parent', [], { TURNWATCH_WEBHOOK_SECRET: secret }, onMessage);
    const { url = '' } = await parent.ready;
    const match = { parent: parentName };
    return this.#starts(
      RealDetector.start(port, {
        ...composed.detector({ 'collector:4318': new URL(endpoint).host }),
        policy: demoPolicyInput,
        endpoints: [
          { id: 'planner', url, secret, match },
          // Nothing listens there.
          { id: 'away', url: 'http://127.0.0.1:9/hook', secret, match },
        ],
        webhook: { allowPrivate: ['127.0.0.0/8'] },
      }),
    );
  }

  async #storyOfTheDemo(detector: RealDetector, endpoint: string): Promise<void> {
    const provider = await ScriptedProvider.start({
      script: ({ prompt }) => story.find(({ name }) => name === prompt)?.script ?? [],
    });
    this.#take({ end: () => provider.close() });
    const environment = { ...metricsByOtlp, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    const children = workers.map((name) =>
      this.#child('worker', name, [name, endpoint, provider.url], environment, () => undefined),
    );
    await this.#until('the workers are ready', Promise.all(children.map(({ ready }) => ready)));
    for (const child of children) child.send({ kind: 'begin' });
    await delay(killAfterMs);
    await children.at(-1)?.kill();
    await Promise.all(
      story.map(({ name, expected }) =>
        this.#until(
          `${name}: ${expected?.type ?? 'completed'}`,
          expected === null
            ? detector.reaches(name, 'completed')
            : detector.until(
                ({ type, ...event }) => type === expected.type && 'turn' in event && event.turn === name,
              ),
        ),
      ),
    );
  }

  async #agents(detector: RealDetector, endpoint: string, prometheusUrl: string): Promise<void> {
    const { script, environment } = composed.demoAgent({ 'collector:4318': new URL(endpoint).host });
    const demo = new SceneProcess({ script, environment: { ...environment, ...metricsByOtlp, ...demoPace } });
    this.#take(demo);
    this.#take(
      new SceneProcess({
        script: fileURLToPath(new URL('hindered-agent.ts', import.meta.url)),
        args: [endpoint],
        environment: {
          ...metricsByOtlp,
          OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${prometheusUrl}/api/v1/otlp/v1/metrics`,
        },
      }),
    );
    await this.#until('the demo agent ends', demo.ended);
    await this.#until(
      'its fourth turn recovers',
      detector.until(({ type }) => type === 'turn.recovered'),
    );
    await this.#until('asks-again ends', detector.reaches('asks-again', 'completed'));
    await this.#until('waits runs', detector.reaches('waits', 'running'));
  }

  /** By all ways: the agents' metrics by the Collector and by OTLP, the detector's, the Collector's own, the rules. */
  async #isKnown(): Promise<void> {
    await this.#says(`sum(turnwatch_gap_largest_seconds_count) >= ${gapsInAll}`);
    await this.#says(`sum(gen_ai_client_inference_duration_seconds_count) >= ${requestsInAll}`);
    await this.#until('scrapes', this.prometheus.scraped());
    await this.#until('more scrapes', this.prometheus.scraped());
    await this.#until('the rules are evaluated', this.prometheus.evaluated());
  }

  async #says(expr: string): Promise<void> {
    const said = async (): Promise<boolean> => (await this.prometheus.query(expr)).length > 0;
    await this.#until(expr, this.prometheus.until(said, expr));
  }

  async #until<T>(what: string, waiting: Promise<T>): Promise<T> {
    this.#waitsFor.add(what);
    const done = await waiting;
    this.#waitsFor.delete(what);
    return done;
  }

  #child(
    file: 'worker' | 'parent',
    name: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    onMessage: (message: Message) => void,
  ): DemoChild {
    const child = new DemoChild(file, name, {
      args,
      env,
      onMessage,
      onLost: (why) => this.#fail(new Error(why)),
    });
    this.#ends.push(() => child.kill());
    return child;
  }

  #take(one: Ending): void {
    this.#ends.push(() => one.end());
    one.ended?.catch((error: Error) => this.#fail(error));
  }

  async #starts<T extends Ending>(starting: Promise<T>): Promise<T> {
    const one = await starting;
    this.#take(one);
    return one;
  }
}

/** In the detector's place stands something that wants none of it: the Collector loses a record. */
async function refuseOne(port: number, collector: RunningCollector): Promise<void> {
  const other = createServer((_request, response) => void response.writeHead(400).end());
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  await post(collector.url, [new ScriptedAgent('lost').beat()]);
  while ((await collector.own())('otelcol_exporter_send_failed_log_records_total') < 1) await delay(50);
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
}
