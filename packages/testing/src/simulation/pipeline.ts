import type { Signal } from '@turnwatch/core';
import { decodeRecord, type WireRecord } from '@turnwatch/protocol';
import {
  decodeLogsJson,
  decodeLogsProtobuf,
  encodeLogsJson,
  encodeLogsProtobuf,
} from '@turnwatch/protocol/otlp';
import { signalToRecord } from '@turnwatch/protocol/wire';
import type { Timeline } from './timeline.ts';

export interface PipelineOptions {
  readonly timeline: Timeline;
  /** Takes one decoded batch. */
  readonly deliver: (batch: readonly Signal[]) => void;
  /** Every batch arrives twice. */
  readonly doubled?: boolean;
}

interface Disturbance {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Absent: all processes, and the canary. */
  readonly process: string | undefined;
  readonly kind: 'delayed' | 'lost' | 'duplicated';
}

const transitMs = 20;
const secondCopyMs = 8000;
const doubledAgainMs = 1700;

/**
 * The way from producers to the detector: the real OTLP encoding and decoding, with scripted delay, loss and doubling
 * between them.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #disturbances: Disturbance[] = [];
  #sent = 0;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  disturb(kind: Disturbance['kind'], forMs: number, process: string | undefined): void {
    const fromMs = this.#options.timeline.nowMs;
    this.#disturbances.push({ kind, fromMs, untilMs: fromMs + forMs, process });
  }

  send(batch: readonly Signal[], process: string | undefined): void {
    if (batch.length === 0) return;
    const { timeline } = this.#options;
    let arrivesMs = timeline.nowMs + transitMs;
    let copies = this.#options.doubled === true ? [0, doubledAgainMs] : [0];
    for (const disturbance of this.#disturbances) {
      const { fromMs, untilMs, kind } = disturbance;
      if (timeline.nowMs < fromMs || timeline.nowMs >= untilMs) continue;
      if (disturbance.process !== undefined && disturbance.process !== process) continue;
      if (kind === 'lost') return;
      if (kind === 'delayed') arrivesMs = Math.max(arrivesMs, untilMs);
      if (kind === 'duplicated') copies = [...copies, secondCopyMs];
    }
    const decode = this.#encode(batch);
    for (const laterMs of copies) timeline.at(arrivesMs + laterMs, () => this.#options.deliver(decode()));
  }

  /** Protobuf and JSON in turn, as producers of both kinds send. */
  #encode(batch: readonly Signal[]): () => Signal[] {
    const records = batch.map((signal) => signalToRecord(signal));
    const json = this.#sent++ % 16 === 15;
    const bytes = json ? encodeLogsJson(records) : encodeLogsProtobuf(records);
    return () => {
      const signals: Signal[] = [];
      const take = (record: WireRecord): void => {
        const decoded = decodeRecord(record);
        if ('signal' in decoded) signals.push(decoded.signal);
        else if ('refused' in decoded)
          throw new Error(`the decoder refused our own record: ${decoded.refused}`);
      };
      if (typeof bytes === 'string') decodeLogsJson(bytes, take);
      else decodeLogsProtobuf(bytes, take);
      return signals;
    };
  }
}
