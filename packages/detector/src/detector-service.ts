import { AwakeClock, type Now, Registry } from '@turnwatch/core';
import { Sender } from '@turnwatch/webhook/send';
import { Owners } from './access/owners.ts';
import { Tokens } from './access/tokens.ts';
import type { Timers } from './clocks.ts';
import type { DetectorConfig } from './config/shape.ts';
import type { Detector, DetectorOptions } from './detector.ts';
import { EndpointBook } from './endpoints/endpoint-book.ts';
import { EventFeed } from './feed/event-feed.ts';
import { createApp } from './http/app.ts';
import { type Health, healthOf } from './http/health.ts';
import { type Door, openDoor } from './http/listen.ts';
import { WindowCounter } from './http/window-counter.ts';
import { Intake } from './ingest/intake.ts';
import { Screen } from './live/screen.ts';
import { type Logger, silentLogger } from './logger.ts';
import { Meters } from './meters.ts';
import { Operations } from './operations.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import { Teller } from './pipeline/teller.ts';
import { PluginWork } from './plugins/plugin-work.ts';
import type { ConfigChange } from './reload/config-change.ts';
import { Reporter } from './reporter.ts';
import { wallAtRestart } from './restart-clock.ts';
import { dropOld, endOverlaps } from './retention.ts';
import { Scheduler, tellPause } from './scheduler.ts';
import { within } from './within.ts';

/** Turns that moved are written every so many ticks, in slices; starts, ends and verdicts at once. */
const checkpointTicks = 5;
const purgeTicks = 60;
const senderGraceMs = 4000;

/** What {@link createDetectorService} makes. */
export class DetectorService implements Detector {
  readonly #options: DetectorOptions;
  readonly #logger: Logger;
  readonly #clock: AwakeClock;
  readonly #registry: Registry;
  readonly #meters: Meters;
  readonly #reporter: Reporter;
  readonly #teller: Teller;
  readonly #pipeline: Pipeline;
  readonly #sender: Sender;
  readonly #scheduler: Scheduler;
  readonly #feed: EventFeed;
  readonly #book: EndpointBook;
  readonly #tokens: Tokens;
  readonly #intake: Intake;
  readonly #screen: Screen;
  readonly #operations: Operations;
  readonly #plugins: PluginWork;
  #door: Door | undefined;
  #ready = false;
  #ticks = 0;
  #stopped: Promise<void> | undefined;

  constructor(options: DetectorOptions) {
    const { config, store, clocks, timers } = options;
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    const saved = store.load();
    this.#clock = new AwakeClock(clocks, saved.awakeMs);
    this.#tokens = new Tokens(config.tokens);
    this.#operations = new Operations({
      options,
      logger: this.#logger,
      awakeMs: () => this.#clock.now(),
      tokens: this.#tokens,
      onPing: (outcome) => this.#meters.deadman(outcome),
    });
    const wallMs = wallAtRestart(saved.clocks, clocks, store, this.#logger);
    const owners = Owners.restore(saved, config.ingest);
    const now = { ...this.#now(), wallMs };
    this.#registry = Registry.restore(this.#operations.policy, saved, now, owners.kinship);
    this.#intake = new Intake(config.ingest, clocks, timers);
    this.#feed = new EventFeed(store, (ms, work) => timers.after(ms, work));
    const shared = {
      registry: this.#registry,
      store,
      owners,
      logger: this.#logger,
    };
    this.#plugins = new PluginWork({
      ...options,
      ...shared,
      submit: (signals, path, owner) => this.#submit(signals, path, owner),
      onCall: (report) => this.#meters.pluginCall(report),
    });
    this.#book = new EndpointBook({
      configured: [...config.endpoints, ...this.#plugins.endpoints],
      store,
      network: config.webhook,
      wallMs: () => clocks.wallMs(),
      onChange: (endpoints) => this.#sender.setEndpoints(endpoints),
    });
    const shown = {
      ...shared,
      now: () => this.#now(),
      canaries: () => this.#operations.paths.health(),
      endpoints: () =>
        this.#book.current.map(({ id }) => this.#sender.state(id)?.status ?? ('active' as const)),
    };
    this.#meters = new Meters({
      ...shown,
      tickAgeMs: () => this.#scheduler.ageMs,
      storeHealthy: () => this.#pipeline.health.failing === undefined,
      feedSubscribers: () => this.#feed.waiting,
    });
    this.#screen = new Screen({
      ...shown,
      policy: () => this.#operations.policy,
      monoMs: () => clocks.monoMs(),
      after: (ms, work) => timers.after(ms, work),
      health: () => this.health,
    });
    this.#reporter = new Reporter(options, this.#logger, this.#meters);
    const { sequence } = saved;
    this.#teller = new Teller({ endpoints: () => this.#book.current, source: config.source, sequence });
    this.#pipeline = new Pipeline({
      ...shared,
      teller: this.#teller,
      now: () => this.#now(),
      bootId: clocks.bootId,
      soon: (work) => timers.soon(work),
      onEvent: (event) => {
        this.#screen.kept(event);
        this.#reporter.announce(event);
      },
      onMerge: (signal, now, when) => this.#screen.merge(signal, now, when),
      onForgotten: (turns) => this.#screen.timeline.forget(turns),
      onEffect: (effect) => {
        this.#screen.effect(effect);
        this.#meters.effect(effect);
      },
      monoMs: () => clocks.monoMs(),
      onCommit: (durationMs, outcome) => this.#meters.commit(durationMs, outcome),
      onQueued: () => this.#sender.wake(),
      onKept: (events) => this.#feed.published(events),
    });
    this.#sender = new Sender({
      outbox: store,
      endpoints: this.#book.current,
      clock: { nowMs: () => clocks.wallMs(), setTimer: (work, ms) => timers.after(ms, work) },
      random: options.random,
      onReport: (report) => {
        this.#screen.delivery(report.row.turnId);
        this.#reporter.delivery(report);
      },
      line: this.#plugins.line,
      onEndpoint: (state) => this.#reporter.endpoint(state),
      onError: (error) => this.#reporter.outboxFailed(error),
    });
    this.#scheduler = new Scheduler({
      timers,
      monoMs: () => clocks.monoMs(),
      work: () => this.#work(),
      onError: (error) => {
        this.#logger.error({ err: error }, 'a tick failed; the next one is tried all the same');
        this.#operations.ticked(this.health);
      },
      onTick: (durationMs, lateMs) => {
        this.#meters.tick(durationMs, lateMs);
        this.#operations.ticked(this.health);
        options.onTick?.();
      },
    });
  }

  get health(): Health {
    return healthOf({
      ready: this.#ready,
      scheduler: this.#scheduler,
      place: this.#options.store.place,
      paths: this.#operations.paths.health(),
      ...this.#pipeline.health,
    });
  }

  async start(): Promise<{ port: number; url: string }> {
    const { listen, limits } = this.#options.config;
    const monoMs = (): number => this.#options.clocks.monoMs();
    const [book, logger] = [this.#book, this.#logger];
    const sent = { book, sender: () => this.#sender, trail: this.#pipeline, logger };
    const app = createApp({
      registry: () => this.#registry,
      now: () => this.#now(),
      health: () => this.health,
      receiver: {
        submit: (signals, path, owner) => this.#submit(signals, path, owner),
        intake: this.#intake,
        logger: this.#logger,
        onRequest: (received) => {
          this.#screen.request(received);
          this.#meters.request(received);
        },
        pathOf: (request) => this.#operations.paths.of(request),
        foreign: () => this.#plugins.foreign,
        authorize: (authorization) => this.#meters.judged(this.#tokens.sender(authorization)),
      },
      metrics: this.#meters.handler,
      plugins: () => this.#plugins.status,
      feed: this.#feed,
      endpoints: {
        ...sent,
        test: (id) => this.#pipeline.deliver((now) => this.#teller.test(id, now)).id,
      },
      deliveries: { ...sent, store: this.#options.store },
      screen: this.#screen,
      command: (work, audit) => this.#pipeline.command(work, audit),
      access: {
        tokens: this.#tokens,
        onRefused: (status) => this.#meters.unauthorized(status),
        failures: new WindowCounter(limits.failedAuthenticationsPerMinute, monoMs),
      },
      requests: new WindowCounter(limits.requestsPerMinute, monoMs),
      names: () => this.#operations.config.listen,
      monoMs,
      logger: this.#logger,
    });
    this.#door = await openDoor(app, this.#options.config, this.#meters.connectionLost);
    const { port, url } = this.#door;
    this.#teller.linkTo(listen.publicUrl ?? url);
    // Horizons that passed while nobody watched: at once and once, before anything else is taken in, or as many as one go judges.
    this.#scheduler.tick();
    this.#operations.start(url);
    this.#plugins.start();
    this.#sender.start();
    this.#scheduler.start();
    this.#ready = true;
    const { place } = this.#options.store;
    this.#logger.info({ url, store: place, endpoints: this.#book.current.length }, 'listening');
    return { port, url };
  }

  tick(): void {
    this.#scheduler.tick();
  }

  reload(next: DetectorConfig): readonly ConfigChange[] {
    const book = this.#plugins.beside(this.#book);
    return this.#operations.reload(next, { registry: this.#registry, book, teller: this.#teller });
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  #work(): void {
    tellPause(this.#clock.tick().pauseMs, this.#logger, this.#meters);
    if (++this.#ticks % purgeTicks === 0) {
      const [pipeline, registry, logger] = [this.#pipeline, this.#registry, this.#logger];
      const { retention } = this.#operations.config;
      dropOld({ ...this.#options, retention, pipeline, registry, logger }, this.#now().wallMs);
    }
    endOverlaps(this.#book, this.#logger);
    // A backlog the size of a pause, and events whose endpoint has come back.
    this.#sender.wake();
    this.#screen.tick();
    this.#operations.paths.tick();
    // Last: a fault in judging is thrown, and must not keep the others from their work.
    this.#pipeline.tick({ checkpoint: this.#ticks % checkpointTicks === 0 });
  }

  #submit(...[signals, path, owner]: Parameters<Pipeline['submit']>): ReturnType<Pipeline['submit']> {
    this.#meters.arrived(signals, path, this.#options.clocks.wallMs());
    return this.#pipeline.submit(this.#operations.paths.back(signals, path), path, owner);
  }

  async #stop(): Promise<void> {
    this.#ready = false;
    this.#scheduler.stop();
    this.#operations.close();
    this.#plugins.quiet();
    this.#feed.close();
    this.#screen.close();
    const after: Timers['after'] = (ms, work) => this.#options.timers.after(ms, work);
    await this.#door?.close(after);
    try {
      this.#pipeline.close();
    } catch (error) {
      this.#logger.error({ err: error }, 'the last state could not be kept');
    }
    const sent = this.#sender.idle().then(() => this.#sender.stop());
    await within(senderGraceMs, after, sent);
    await this.#plugins.stop();
    await this.#meters.close();
    this.#reporter.storeClosed = true;
    this.#options.store.close();
    this.#logger.info({}, 'stopped');
  }

  #now(): Now {
    const { clocks } = this.#options;
    return { awakeMs: this.#clock.now(), bootMs: clocks.bootMs(), wallMs: clocks.wallMs() };
  }
}
