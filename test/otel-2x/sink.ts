import { createServer, type Server, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { WireRecord } from '@turnwatch/protocol';
import { decodeLogsProtobuf } from '@turnwatch/protocol/otlp';

/** A detector's ear: takes OTLP over a real socket and answers as it is told to. */
export class Sink {
  readonly records: WireRecord[] = [];
  /** When each of the records arrived, wall clock. */
  readonly arrivedMs: number[] = [];
  /** Export requests that arrived, answered or not. */
  requests = 0;
  answer: (response: ServerResponse) => void;
  readonly #server: Server;

  constructor(answer: (response: ServerResponse) => void = (response) => response.writeHead(200).end()) {
    this.answer = answer;
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('error', () => undefined);
      request.on('end', () => {
        this.requests++;
        const body = Buffer.concat(parts);
        const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        decodeLogsProtobuf(plain, (record) => this.arrivedMs.push(Date.now()) && this.records.push(record));
        this.answer(response);
      });
    });
  }

  /** @returns the endpoint to export to. */
  listen(port = 0): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        const address = this.#server.address();
        if (address === null || typeof address === 'string') reject(new Error('no port'));
        else resolve(`http://127.0.0.1:${address.port}`);
      });
    });
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** Waits for the first record that arrived at or after `sinceMs` and fits. */
  async first(
    fits: (record: WireRecord) => boolean,
    sinceMs = 0,
  ): Promise<{ record: WireRecord; atMs: number }> {
    for (;;) {
      const at = this.records.findIndex(
        (record, index) => (this.arrivedMs[index] ?? 0) >= sinceMs && fits(record),
      );
      const record = this.records[at];
      if (record !== undefined) return { record, atMs: this.arrivedMs[at] ?? 0 };
      await new Promise((resolve) =>
        this.#server.once('request', (_request, response) => response.once('close', resolve)),
      );
    }
  }

  named(eventName: string): WireRecord[] {
    return this.records.filter((record) => record.eventName === eventName);
  }
}
