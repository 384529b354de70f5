import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WireRecord } from '@turnwatch/protocol';
import { encodeLogsProtobuf } from '@turnwatch/protocol/otlp';

/** As a Collector between agents and the detector: it names its path, and keeps what it cannot pass on while it is shut. */
export class Gateway {
  open = true;
  to = '';
  readonly #kept: WireRecord[] = [];
  #accepted = 0;
  #sent = 0;
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      if (!this.open) {
        response.writeHead(503).end();
        return;
      }
      const type = request.headers['content-type'] ?? 'application/x-protobuf';
      this.#pass(Buffer.concat(chunks), type).then(
        (status) => void response.writeHead(status).end(),
        () => void response.writeHead(502).end(),
      );
    });
  });

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  take(records: readonly WireRecord[]): void {
    this.#kept.push(...records);
    this.#accepted += records.length;
  }

  async flush(): Promise<void> {
    if (!this.open || this.#kept.length === 0) return;
    const records = this.#kept.splice(0, 2000);
    await this.#pass(encodeLogsProtobuf(records), 'application/x-protobuf');
    this.#sent += records.length;
  }

  /** What a Collector tells of itself, as far as the dashboards ask for it. */
  get scraped(): string {
    const exporter = '{exporter="otlp_http/turnwatch"}';
    return [
      `otelcol_exporter_queue_size${exporter} ${this.#kept.length}`,
      `otelcol_exporter_queue_capacity${exporter} 20000`,
      `otelcol_receiver_accepted_log_records_total{receiver="otlp"} ${this.#accepted}`,
      `otelcol_receiver_refused_log_records_total{receiver="otlp"} 0`,
      `otelcol_exporter_sent_log_records_total${exporter} ${this.#sent}`,
      `otelcol_exporter_send_failed_log_records_total${exporter} 0`,
      `otelcol_exporter_enqueue_failed_log_records_total${exporter} 0`,
    ].join('\n');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #pass(body: Uint8Array, type: string): Promise<number> {
    const headers = { 'content-type': type, 'turnwatch-path': 'gateway' };
    const response = await fetch(`${this.to}/v1/logs`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    await response.arrayBuffer();
    return response.status;
  }
}
