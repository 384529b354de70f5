import type { Server } from 'node:http';
import { AwakeClock, makePolicy, type Now, Registry, type Signal } from '@turnwatch/core';
import { Sender } from '@turnwatch/webhook/send';
import { Tokens } from './access/tokens.ts';
import { Canary } from './canary.ts';
import type { Timers } from './clocks.ts';
import type { Detector, DetectorOptions } from './detector.ts';
import { EndpointBook } from './endpoints/endpoint-book.ts';
import { EventFeed } from './feed/event-feed.ts';
import { createApp } from './http/app.ts';
import type { Health } from './http/health.ts';
import { closeServer, listen, portOf, urlOf } from './http/listen.ts';
import { isLoopbackHost } from './http/loopback.ts';
import { defaultBodyLimits } from './ingest/body.ts';
import { directPath } from './ingest/receiver.ts';
import { type Logger, silentLogger } from './logger.ts';
import { Meters } from './meters.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import { StoreUnavailable } from './pipeline/store-unavailable.ts';
import { Teller } from './pipeline/teller.ts';
import { Reporter } from './reporter.ts';
import { Scheduler } from './scheduler.ts';
import { within } from './within.ts';

/** Turns that moved are written every so many ticks; starts, ends and verdicts at once. */
const checkpointTicks = 5;
const purgeTicks = 60;
/** Shorter pauses are the ordinary grain of timers. */
const toldPauseMs = 1000;
const serverGraceMs = 3000;
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
  #canary: Canary | undefined;
  #server: Server | undefined;
  #canaryBackMs: number | undefined;
  #ready = false;
  #ticks = 0;
  #lastTickError: string | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: DetectorOptions) {
    const { config, store, clocks, timers } = options;
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    const saved = store.load();
    this.#clock = new AwakeClock(clocks, saved.awakeMs);
    this.#registry = Registry.restore(makePolicy(config.policy), saved, this.#now());
    this.#tokens = new Tokens(config.tokens);
    this.#feed = new EventFeed(store, (ms, work) => timers.after(ms, work));
    this.#book = new EndpointBook({
      configured: config.endpoints,
      store,
      network: config.webhook,
      wallMs: () => clocks.wallMs(),
      onChange: (endpoints) => this.#sender.setEndpoints(endpoints),
    });
    this.#meters = new Meters({
      registry: this.#registry,
      store,
      now: () => this.#now(),
      tickAgeMs: () => this.#scheduler.ageMs,
      canaryAgeMs: () =>
        this.#canaryBackMs === undefined ? undefined : clocks.monoMs() - this.#canaryBackMs,
      storeHealthy: () => this.#pipeline.health.failing === undefined,
      feedSubscribers: () => this.#feed.waiting,
      endpoints: () =>
        this.#book.current.map(({ id }) => this.#sender.state(id)?.status ?? ('active' as const)),
    });
    this.#reporter = new Reporter(options, this.#logger, this.#meters);
    this.#teller = new Teller({
      endpoints: () => this.#book.current,
      source: config.source,
      sequence: saved.sequence,
    });
    this.#pipeline = new Pipeline({
      registry: this.#registry,
      store,
      teller: this.#teller,
      now: () => this.#now(),
      soon: (work) => timers.soon(work),
      logger: this.#logger,
      onEvent: (event) => this.#reporter.announce(event),
      onEffect: (effect) => this.#meters.effect(effect),
      onQueued: () => this.#sender.wake(),
      onKept: (events) => this.#feed.published(events),
    });
    this.#sender = new Sender({
      outbox: store,
      endpoints: this.#book.current,
      clock: { nowMs: () => clocks.wallMs(), setTimer: (work, ms) => timers.after(ms, work) },
      random: options.random,
      onReport: (report) => this.#reporter.delivery(report),
      onEndpoint: (state) => this.#reporter.endpoint(state),
      onError: (error) => this.#reporter.outboxFailed(error),
    });
    this.#scheduler = new Scheduler({
      timers,
      monoMs: () => clocks.monoMs(),
      work: () => this.#work(),
      onError: (error) => {
        this.#lastTickError = error instanceof Error ? error.message : String(error);
        this.#logger.error({ err: error }, 'a tick failed; the next one is tried all the same');
      },
      onTick: (durationMs) => {
        this.#lastTickError = undefined;
        this.#meters.tick(durationMs);
      },
    });
  }

  get health(): Health {
    const { failing } = this.#pipeline.health;
    const place = this.#options.store.place;
    return {
      ready: this.#ready,
      tick: {
        ok: !this.#scheduler.standsStill,
        ageMs: Math.round(this.#scheduler.ageMs),
        ...(this.#lastTickError === undefined ? {} : { lastError: this.#lastTickError }),
      },
      store:
        failing === undefined
          ? { ok: true, place }
          : { ok: false, place, failingSince: new Date(failing.sinceMs).toISOString(), error: failing.error },
    };
  }

  async start(): Promise<{ port: number; url: string }> {
    const { listen: at } = this.#options.config;
    const app = createApp({
      registry: () => this.#registry,
      now: () => this.#now(),
      health: () => this.health,
      receiver: {
        submit: (signals, path) => this.#submit(signals, path),
        limits: this.#options.bodyLimits ?? defaultBodyLimits,
        logger: this.#logger,
        onRequest: (received) => this.#meters.request(received),
        authorize: (authorization) => {
          const judged = this.#tokens.judge(authorization, 'ingest');
          if (judged !== 'ok') this.#meters.unauthorized(judged === 'unknown' ? 401 : 403);
          return judged;
        },
      },
      metrics: this.#meters.handler,
      feed: this.#feed,
      endpoints: {
        book: this.#book,
        sender: () => this.#sender,
        test: (id) => this.#pipeline.deliver((now) => this.#teller.test(id, now)).id,
        logger: this.#logger,
      },
      deliveries: {
        store: this.#options.store,
        book: this.#book,
        sender: () => this.#sender,
        logger: this.#logger,
      },
      access: { tokens: this.#tokens, onRefused: (status) => this.#meters.unauthorized(status) },
      loopbackOnly: isLoopbackHost(at.host),
      logger: this.#logger,
    });
    this.#server = await listen(app, at.host, at.port);
    const port = portOf(this.#server);
    const url = urlOf(at.host, port);
    this.#teller.linkTo(at.publicUrl ?? url);
    // Horizons that passed while nobody watched: at once and once, before anything else is taken in.
    this.#scheduler.tick();
    this.#canary = new Canary({
      url,
      path: directPath,
      token: this.#tokens.own,
      onFailure: (error) =>
        this.#logger.warn({ err: error, path: directPath }, 'the canary did not come back'),
    });
    this.#sender.start();
    this.#scheduler.start();
    this.#ready = true;
    void this.#canary.beat();
    this.#logger.info(
      { url, store: this.#options.store.place, endpoints: this.#book.current.length },
      'listening',
    );
    return { port, url };
  }

  tick(): void {
    this.#scheduler.tick();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  #work(): void {
    const { pauseMs } = this.#clock.tick();
    if (pauseMs >= toldPauseMs)
      this.#logger.info(
        { pauseMs: Math.round(pauseMs) },
        'the detector stood still; nothing is judged by that time',
      );
    this.#ticks++;
    if (this.#ticks % purgeTicks === 0) this.#purge();
    this.#endOverlaps();
    this.#judge({ checkpoint: this.#ticks % checkpointTicks === 0 });
    // A backlog the size of a pause, and events whose endpoint has come back.
    this.#sender.wake();
    void this.#canary?.beat();
  }

  #submit(signals: readonly Signal[], path: string): ReturnType<Pipeline['submit']> {
    const { clocks } = this.#options;
    for (const signal of signals) {
      if (signal.type === 'canary') this.#canaryBackMs = clocks.monoMs();
      else if (signal.origin.wallMs !== undefined)
        this.#meters.lag(clocks.wallMs() - signal.origin.wallMs, path);
    }
    return this.#pipeline.submit(signals, path);
  }

  #endOverlaps(): void {
    try {
      this.#book.tick();
    } catch (error) {
      this.#logger.warn(
        { err: error },
        'a secret that is rotated out signs on; it is tried again in a second',
      );
    }
  }

  /** A store that fails is told by /healthz and logged once; judging goes on, verdicts wait in memory. */
  #judge(how: { readonly checkpoint: boolean }): void {
    try {
      this.#pipeline.run(how);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  #purge(): void {
    const { store, clocks, config } = this.#options;
    const { settledTurnsMs, eventsMs, maxEvents, maxDeliveries } = config.retention;
    const nowMs = clocks.wallMs();
    this.#pipeline.forget(nowMs - settledTurnsMs);
    try {
      store.purgeDeliveries(nowMs - settledTurnsMs, maxDeliveries);
      store.purgeEvents(nowMs - eventsMs, maxEvents);
    } catch (error) {
      this.#logger.warn({ err: error }, 'old events could not be dropped; it is tried again in a minute');
    }
  }

  async #stop(): Promise<void> {
    this.#ready = false;
    this.#scheduler.stop();
    this.#canary?.close();
    this.#feed.close();
    const after: Timers['after'] = (ms, work) => this.#options.timers.after(ms, work);
    if (this.#server !== undefined) await closeServer(this.#server, serverGraceMs, after);
    try {
      this.#pipeline.close();
    } catch (error) {
      this.#logger.error({ err: error }, 'the last state could not be kept');
    }
    await within(
      senderGraceMs,
      after,
      this.#sender.idle().then(() => this.#sender.stop()),
    );
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
