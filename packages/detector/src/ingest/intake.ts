import type { IncomingMessage } from 'node:http';
import type { Signal } from '@turnwatch/core';
import type { ForeignSelection } from '@turnwatch/protocol/otlp';
import type { Clocks, Timers } from '../clocks.ts';
import { isGzipped, type RawBody, readRaw, unpack, unpackedAtOnce } from './body.ts';
import { BufferedBytes } from './buffered-bytes.ts';
import { type Decoded, decode, type OtlpSignal } from './codec.ts';
import type { Encoding } from './content-type.ts';
import { FairQueue } from './fair-queue.ts';
import { IngestError } from './ingest-error.ts';
import type { IngestLimits } from './limits.ts';
import { Quotas } from './quotas.ts';
import { type Sender, Senders } from './sender.ts';

/** What was in a request. */
export interface Taken extends Decoded {
  /** As unpacked. */
  readonly bytes: number;
}

/**
 * The door: bodies in, records out, no source at the cost of another. What is sent is bounded while it is read, waits
 * for its source's turn, is unpacked and decoded, and is gone.
 */
export class Intake {
  /** One for logs, traces and metrics: a connection is the same sender whatever it sends. */
  readonly senders: Senders = new Senders();
  readonly #limits: IngestLimits;
  readonly #nowMs: () => number;
  readonly #buffered: BufferedBytes;
  /** One body after another: it is read on the one thread that there is. */
  readonly #decoding: FairQueue;
  /** Large bodies, unpacked on threads beside it. They hold their slot until they are decoded, so that few are in memory. */
  readonly #unpacking: FairQueue;
  readonly #quotas: Quotas;

  constructor(limits: IngestLimits, clocks: Pick<Clocks, 'monoMs'>, timers: Pick<Timers, 'soon'>) {
    const nowMs = (): number => clocks.monoMs();
    const soon: Timers['soon'] = (work) => timers.soon(work);
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#buffered = new BufferedBytes(limits);
    this.#decoding = new FairQueue({ ...limits, nowMs, soon, slots: 1, slotsPerSource: 1 });
    this.#unpacking = new FairQueue({ ...limits, nowMs, soon, slots: 2, slotsPerSource: 1 });
    this.#quotas = new Quotas(limits, nowMs);
  }

  /** Bytes of bodies that are in memory as sent. */
  get bufferedBytes(): number {
    return this.#buffered.total;
  }

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.#decoding.waiting + this.#unpacking.waiting;
  }

  /** @throws {IngestError} for everything that the request itself, its source or the load is the reason of. */
  async take(
    request: IncomingMessage,
    signal: OtlpSignal,
    encoding: Encoding,
    sender: Sender,
    wanted?: ForeignSelection,
  ): Promise<Taken> {
    this.#requireQuota(sender.source);
    const gzipped = isGzipped(request);
    let held = 0;
    try {
      const bytes = await readRaw(request, this.#limits.compressedBytes, (more) => {
        this.#buffered.take(sender.source, more);
        held += more;
      });
      const raw: RawBody = { bytes, gzipped };
      const { source, connection } = sender;
      const read = (body: Buffer): Taken => ({
        ...this.#decode(signal, body, encoding, sender, request, wanted),
        bytes: body.length,
      });
      // Only when it is its turn: what waits is held as it was sent, which is what is counted.
      const taken = await this.#decoding.run(source, connection, async () => {
        const ready = unpackedAtOnce(raw, encoding, this.#limits);
        return ready === undefined ? undefined : read(ready);
      });
      if (taken !== undefined) return taken;
      const decoded = (body: Buffer): Promise<Taken> =>
        this.#decoding.run(source, connection, async () => read(body));
      return await this.#unpacking.run(source, connection, async () =>
        decoded(await unpack(raw, encoding, this.#limits)),
      );
    } finally {
      this.#buffered.give(sender.source, held);
    }
  }

  #decode(
    signal: OtlpSignal,
    body: Buffer,
    encoding: Encoding,
    sender: Sender,
    request: IncomingMessage,
    wanted: ForeignSelection | undefined,
  ): Decoded {
    const begunMs = this.#nowMs();
    let { source } = sender;
    let records = 0;
    try {
      const decoded = decode(signal, body, encoding, this.#limits, wanted);
      records = decoded.records;
      if (sender.owner === undefined) {
        const process = onlyProcess(decoded.signals);
        if (process !== undefined) {
          source = this.senders.learn(request, process);
          // A process that opens a new connection for each batch is still the same process.
          if (sender.provisional) this.#requireQuota(source);
        }
      }
      return decoded;
    } finally {
      // What cannot be read takes its time too.
      this.#quotas.charge(source, { records, busyMs: this.#nowMs() - begunMs });
    }
  }

  #requireQuota(source: string): void {
    const exceeded = this.#quotas.exceeded(source);
    if (exceeded === undefined) return;
    const { recordsPerSecond, busyMsPerSecond } = this.#limits;
    throw new IngestError(
      429,
      'source_quota',
      exceeded === 'records'
        ? `this source has sent more than ${recordsPerSecond} records a second; send fewer`
        : `this source has taken more than ${busyMsPerSecond} ms a second to read; send smaller or fewer batches`,
    );
  }
}

/** The process that a batch is of; undefined where it is of several (a Collector's), or of none. */
function onlyProcess(signals: readonly Signal[]): string | undefined {
  let process: string | undefined;
  for (const signal of signals) {
    if (signal.type === 'canary' || signal.origin.boot === '') continue;
    process ??= signal.origin.process;
    if (process !== signal.origin.process) return undefined;
  }
  return process;
}
