import { createServer, type Server, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { WireRecord } from '@turnwatch/protocol';
import { decodeLogsProtobuf } from '@turnwatch/protocol/otlp';

/** A detector's ear: takes OTLP over a real socket and answers as it is told to. */
export class Sink {
  readonly records: WireRecord[] = [];
  /** Export requests that arrived, answered or not. */
  requests = 0;
  readonly #answer: (response: ServerResponse) => void;
  readonly #server: Server;

  constructor(answer: (response: ServerResponse) => void = (response) => response.writeHead(200).end()) {
    this.#answer = answer;
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('error', () => undefined);
      request.on('end', () => {
        this.requests++;
        const body = Buffer.concat(parts);
        const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        decodeLogsProtobuf(plain, (record) => this.records.push(record));
        this.#answer(response);
      });
    });
  }

  /** @returns the endpoint to export to. */
  listen(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', () => {
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

  named(eventName: string): WireRecord[] {
    return this.records.filter((record) => record.eventName === eventName);
  }
}
