import { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Effect, Now, Registry, Signal, TurnEvent, TurnIdentity } from '@turnwatch/core';
import { type MetricKey, type MetricLabel, metrics } from '@turnwatch/protocol';
import type { DeliveryReport, EndpointState } from '@turnwatch/webhook/send';
import type { RequestHandler } from 'express';
import type { PathHealth } from './canary/canaries.ts';
import { EngineInstruments } from './engines/engine-instruments.ts';
import type { ConnectionLoss } from './http/connections.ts';
import type { ReceivedRequest } from './ingest/receiver.ts';
import type { CallReport } from './plugins/plugin-guard.ts';
import { processInstruments } from './process-instruments.ts';
import { ScrapeExporter } from './scrape-exporter.ts';
import { standingInstruments } from './standing-instruments.ts';
import type { TurnStore } from './store/turn-store.ts';

export interface MeterSources {
  readonly registry: Registry;
  readonly store: TurnStore;
  readonly now: () => Now;
  readonly tickAgeMs: () => number;
  /** By path. */
  readonly canaries: () => Readonly<Record<string, PathHealth>>;
  readonly storeHealthy: () => boolean;
  readonly feedSubscribers: () => number;
  /** How each endpoint stands. */
  readonly endpoints: () => readonly EndpointState['status'][];
}

export type Labels = Partial<Record<MetricLabel, string>>;
export type Recorder = (value: number, labels?: Labels) => void;

/** Providers and models are words of the producers: beyond so many pairs they are booked under `other`. */
const maxModels = 200;
/** Endpoints come and go by the API: beyond so many they are booked under `other`. */
const maxEndpoints = 200;

/** The detector's own metrics, by the catalogue in protocol. No id of a turn, session, request or call is ever a label. */
export class Meters {
  readonly #provider: MeterProvider;
  readonly #exporter: ScrapeExporter;
  readonly #record: Readonly<Record<MetricKey, Recorder>>;
  readonly #sources: MeterSources;
  readonly #models = new Set<string>();
  readonly #endpoints = new Set<string>();
  #engines: EngineInstruments | undefined;

  constructor(sources: MeterSources) {
    this.#sources = sources;
    this.#exporter = new ScrapeExporter();
    this.#provider = new MeterProvider({ readers: [this.#exporter], views: viewsOfCatalogue() });
    this.#record = this.#instruments(sources);
  }

  /** `GET /metrics`. */
  readonly handler: RequestHandler = (request, response) => {
    this.#exporter.getMetricsRequestHandler(request, response);
  };

  request({ path, signal, status, reason, records, refused, others }: ReceivedRequest): void {
    this.#record.requests(1, { path, status: String(status) });
    if (reason !== undefined) this.#record.requestsRefused(1, { path, signal, reason });
    if (records > 0) this.#record.recordsReceived(records, { path, signal });
    for (const [why, count] of refused) this.#record.recordsRefused(count, { path, reason: why });
    for (const [maker, count] of others) this.#record.recordsIgnored(count, { path, signal, maker });
  }

  /** How old each record was when it came in; none where the producer's clock runs ahead. */
  arrived(signals: readonly Signal[], path: string, wallMs: number): void {
    for (const signal of signals) {
      if (signal.type === 'engine') this.#engines?.sample(signal, this.#sources.now().bootMs);
      if (signal.type === 'process' && signal.name === 'suspending') this.#record.suspensions(1, { path });
      if (signal.type !== 'canary' && signal.origin.wallMs !== undefined)
        this.#record.ingestLag(Math.max(0, wallMs - signal.origin.wallMs) / 1000, { path });
    }
  }

  /** The detector stood still. */
  paused(pauseMs: number): void {
    this.#record.paused(pauseMs / 1000);
  }

  effect(effect: Effect): void {
    if (effect.kind !== 'publish' || effect.event.type === 'source.silent') return;
    const { event } = effect;
    switch (event.type) {
      case 'turn.stale':
        this.#record.verdicts(1, {
          ...this.#who(event.identity),
          reason: event.stale.reason,
          phase: event.stale.phase,
        });
        this.#stalenessDelay(event);
        break;
      case 'turn.recovered':
        this.#record.recovered(1, { ...this.#who(event.identity), reason: event.recovered.reason });
        break;
      case 'turn.expired':
        this.#record.expired(1, { state: event.expired.stateBefore });
        this.#record.detectionDelay(
          Math.max(0, event.expired.settledAtMs - event.expired.expiresAtMs) / 1000,
          {
            reason: 'expired',
          },
        );
        break;
    }
  }

  tick(durationMs: number, lateMs: number): void {
    this.#record.tickDuration(durationMs / 1000);
    this.#record.tickLateness(Math.max(0, lateMs) / 1000);
  }

  commit(durationMs: number, outcome: 'ok' | 'failed'): void {
    this.#record.commitDuration(durationMs / 1000, { outcome });
  }

  delivery({ row, outcome, superseded }: DeliveryReport, nowMs: number): void {
    const endpoint = this.#endpoint(row.endpointId);
    this.#record.deliveryAttempts(1, { endpoint, outcome });
    if (outcome === 'delivered')
      this.#record.deliveryDelay(Math.max(0, nowMs - row.createdAtMs) / 1000, { endpoint });
    if (superseded > 0) this.#record.superseded(superseded, { endpoint });
  }

  deadman(outcome: 'ok' | 'failed'): void {
    this.#record.deadmanPings(1, { outcome });
  }

  /** A connection was closed to make room for another one. */
  readonly connectionLost = (reason: ConnectionLoss): void => {
    this.#record.connectionsLost(1, { reason });
  };

  /** Passes on who sends, or why nobody may. */
  judged<Sender>(sender: Sender | 'unknown' | 'forbidden'): Sender | 'unknown' | 'forbidden' {
    if (sender === 'unknown' || sender === 'forbidden') this.unauthorized(sender === 'unknown' ? 401 : 403);
    return sender;
  }

  /** Ids of plugins stand in the configuration: there are 100 at most. */
  pluginCall({ id, kind, outcome, durationMs }: CallReport): void {
    const labels = { plugin: id, kind };
    if (outcome !== 'ok') this.#record.pluginFailures(1, { ...labels, reason: outcome });
    if (outcome === 'stray') return;
    this.#record.pluginCalls(1, labels);
    this.#record.pluginDuration(durationMs / 1000, labels);
  }

  unauthorized(status: 401 | 403): void {
    this.#record.unauthorized(1, { status: String(status) });
  }

  close(): Promise<void> {
    return this.#provider.shutdown();
  }

  /** Due at threshold and confirm window, on the producer's clock: what the silence has grown beyond them is delay. */
  #stalenessDelay({ stale }: Extract<TurnEvent, { type: 'turn.stale' }>): void {
    if (stale.reason !== 'silence' && stale.reason !== 'engine_only') return;
    const lateMs = stale.silenceMs - stale.thresholdMs - stale.confirmMs;
    this.#record.detectionDelay(Math.max(0, lateMs) / 1000, { reason: stale.reason });
  }

  #who({ provider = 'unknown', model = 'unknown' }: TurnIdentity): Labels {
    const pair = `${provider}\n${model}`;
    if (!this.#models.has(pair) && this.#models.size >= maxModels)
      return { provider: 'other', model: 'other' };
    this.#models.add(pair);
    return { provider, model };
  }

  #endpoint(id: string): string {
    if (!this.#endpoints.has(id) && this.#endpoints.size >= maxEndpoints) return 'other';
    this.#endpoints.add(id);
    return id;
  }

  #instruments(sources: MeterSources): Record<MetricKey, Recorder> {
    const { registry, store, tickAgeMs, canaries, storeHealthy, feedSubscribers } = sources;
    const meter = this.#provider.getMeter('turnwatch.detector');
    const optionsOf = (key: MetricKey) => ({ description: metrics[key].help, unit: metrics[key].unit });
    const counter = (key: MetricKey): Recorder => {
      const made = meter.createCounter(metrics[key].name, optionsOf(key));
      return (value, labels) => made.add(value, labels);
    };
    const histogram = (key: MetricKey): Recorder => {
      const made = meter.createHistogram(metrics[key].name, optionsOf(key));
      return (value, labels) => made.record(value, labels);
    };
    /** Read at each scrape; nothing is recorded by hand. */
    const gauge = (key: MetricKey, observe: (record: Recorder) => void): Recorder => {
      const made = meter.createObservableGauge(metrics[key].name, optionsOf(key));
      made.addCallback((result) => {
        const seen = this.#exporter.observing(metrics[key].name);
        observe((value, labels = {}) => {
          seen(labels);
          result.observe(value, labels);
        });
      });
      return () => undefined;
    };
    const byEndpoint = (counts: ReadonlyMap<string, number>, record: Recorder): void => {
      // A line that ends says nothing: whoever had something to wait for once has none waiting now.
      const sums = new Map([...this.#endpoints].map((id) => [id, 0]));
      for (const [id, count] of counts) {
        const endpoint = this.#endpoint(id);
        sums.set(endpoint, (sums.get(endpoint) ?? 0) + count);
      }
      for (const [endpoint, count] of sums) record(count, { endpoint });
    };
    this.#engines = new EngineInstruments(() => sources.now().bootMs, gauge, counter);
    return {
      ...this.#engines.recorders,
      ...standingInstruments({ ...sources, who: (identity) => this.#who(identity) }, gauge),
      suspensions: counter('suspensions'),
      paused: counter('paused'),
      pathHealthy: gauge('pathHealthy', (record) => {
        for (const [path, { ok }] of Object.entries(canaries())) record(ok ? 1 : 0, { path });
      }),
      verdicts: counter('verdicts'),
      recovered: counter('recovered'),
      expired: counter('expired'),
      recordsReceived: counter('recordsReceived'),
      recordsRefused: counter('recordsRefused'),
      recordsIgnored: counter('recordsIgnored'),
      requests: counter('requests'),
      requestsRefused: counter('requestsRefused'),
      connectionsLost: counter('connectionsLost'),
      deliveryAttempts: counter('deliveryAttempts'),
      detectionDelay: histogram('detectionDelay'),
      ingestLag: histogram('ingestLag'),
      tickDuration: histogram('tickDuration'),
      turns: gauge('turns', (record) => {
        for (const [state, count] of Object.entries(registry.counts())) record(count, { state });
      }),
      lastTickAge: gauge('lastTickAge', (record) => record(tickAgeMs() / 1000)),
      canaryAge: gauge('canaryAge', (record) => {
        for (const [path, { canaryAgeMs }] of Object.entries(canaries()))
          if (canaryAgeMs !== null) record(canaryAgeMs / 1000, { path });
      }),
      unreachableSources: gauge('unreachableSources', (record) => {
        for (const [path, count] of registry.unreachable()) record(count, { path });
      }),
      outboxBacklog: gauge('outboxBacklog', (record) => byEndpoint(store.backlog(), record)),
      deadLetters: gauge('deadLetters', (record) => byEndpoint(store.deadLetters(), record)),
      superseded: counter('superseded'),
      unauthorized: counter('unauthorized'),
      deadmanPings: counter('deadmanPings'),
      deliveryDelay: histogram('deliveryDelay'),
      commitDuration: histogram('commitDuration'),
      tickLateness: histogram('tickLateness'),
      ...processInstruments(gauge, (key, observe) => {
        const made = meter.createObservableCounter(metrics[key].name, optionsOf(key));
        made.addCallback((result) => observe((value, labels) => result.observe(value, labels)));
        return () => undefined;
      }),
      pluginCalls: counter('pluginCalls'),
      pluginFailures: counter('pluginFailures'),
      pluginDuration: histogram('pluginDuration'),
      storeHealthy: gauge('storeHealthy', (record) => record(storeHealthy() ? 1 : 0)),
      feedSubscribers: gauge('feedSubscribers', (record) => record(feedSubscribers())),
      endpoints: gauge('endpoints', (record) => {
        const counts = { active: 0, paused: 0, disabled: 0 };
        for (const status of sources.endpoints()) counts[status]++;
        for (const [state, count] of Object.entries(counts)) record(count, { state });
      }),
    };
  }
}

function viewsOfCatalogue() {
  return Object.values(metrics).flatMap(({ name, buckets }) =>
    buckets === undefined
      ? []
      : [
          {
            instrumentName: name,
            aggregation: {
              type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM as const,
              options: { boundaries: [...buckets] },
            },
          },
        ],
  );
}
