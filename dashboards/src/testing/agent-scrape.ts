import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import * as api from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { ScriptedTurns } from '../../../packages/instrumentation/fixtures/scripted-turns.ts';

/** An agent with the real instrumentation on a clock that stands still, and a scrape of its own metrics. */
export class AgentScrape {
  readonly turns = new ScriptedTurns();
  readonly #provider: MeterProvider;
  readonly #server: Server;

  constructor() {
    const exporter = new PrometheusExporter({ preventServerStart: true });
    this.#provider = new MeterProvider({ readers: [exporter] });
    api.metrics.setGlobalMeterProvider(this.#provider);
    this.#server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `127.0.0.1:${address.port}`;
  }

  /** A turn with a request that was cancelled after `tokens` and made again, and one gap of `gapMs`. */
  work(tokens: number, gapMs: number): void {
    const turn = this.turns.start({ provider: 'openai', model: 'gpt-5' });
    turn.request().end({ outcome: 'cancelled', usage: { inputTokens: tokens } });
    const request = turn.request();
    this.turns.pass(gapMs);
    request.chunk('text');
    this.turns.pass(20);
    request.end({ usage: { inputTokens: tokens } });
    turn.end();
  }

  async close(): Promise<void> {
    api.metrics.disable();
    await this.#provider.shutdown();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
