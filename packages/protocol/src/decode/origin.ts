import type { Origin } from '@turnwatch/core';
import { Attr } from '../names.ts';
import type { WireRecord } from '../record.ts';
import type { Fields } from './fields.ts';

export interface OriginReading {
  readonly origin: Origin;
  /** Process, boot, sequence and awake clock were all there: the record can prove something (RULES 1). */
  readonly complete: boolean;
}

/** A plain producer has no awake clock and no sequence: it gets a place-holder and is judged by arrival. */
export function readOrigin(fields: Fields, record: WireRecord, service: string | undefined): OriginReading {
  const process = fields.id(Attr.processId);
  const boot = fields.id(Attr.bootId);
  const seq = fields.whole(Attr.seq, 0);
  const a = fields.amount(Attr.awakeMs);
  const wallMs =
    fields.amount(Attr.wallMs) ??
    (record.timeMs > 0 && Number.isFinite(record.timeMs) ? record.timeMs : undefined);
  return {
    origin: {
      process: process ?? service ?? 'unknown',
      boot: boot ?? '',
      seq: seq ?? 0,
      a: a ?? 0,
      ...(wallMs === undefined ? {} : { wallMs }),
    },
    complete: process !== undefined && boot !== undefined && seq !== undefined && a !== undefined,
  };
}
