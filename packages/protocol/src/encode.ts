import type { Origin, Signal, TurnSignal } from '@turnwatch/core';
import { type Attributes, put, putId } from './encode/attributes.ts';
import { putEngine } from './encode/engine.ts';
import { eventOf, putHappening } from './encode/happening.ts';
import { putIdentity } from './encode/identity.ts';
import { processEventOf, putProcess } from './encode/process.ts';
import { putReport } from './encode/report.ts';
import { Attr, Event } from './names.ts';
import type { WireRecord } from './record.ts';

// Everything from here down is bundled into the instrumentation package: no dependency, no node:*, types of core only.

export interface EncodeOptions {
  /** Wall instant of the record, ms since the epoch. Default: the signal's `origin.wallMs`, else 0 (not known). */
  readonly timeMs?: number;
  /** Trace id of the turn, 32 hex digits: every record of a turn carries it. Default: the identity's, where there is one. */
  readonly traceId?: string;
  /** `service.name` of the resource. Default: the one in the signal, where there is one. */
  readonly service?: string;
}

/**
 * A signal as it crosses the wire. `recordToSignal` gives an equal signal back, provided that its strings are clean
 * (see `cleanText`) and its numbers finite. Never throws.
 */
export function signalToRecord(signal: Signal, options: EncodeOptions = {}): WireRecord {
  const attributes: Attributes = {};
  const record = (eventName: string, wallMs?: number, traceId?: string, service?: string): WireRecord => {
    const trace = options.traceId ?? traceId;
    const name = options.service ?? service;
    return {
      eventName,
      timeMs: options.timeMs ?? wallMs ?? 0,
      ...(trace === undefined ? {} : { traceId: trace }),
      attributes,
      ...(name === undefined ? {} : { service: name }),
    };
  };
  switch (signal.type) {
    case 'turn':
      putTurn(attributes, signal);
      return record(
        eventOf[signal.happening.name],
        signal.origin.wallMs,
        signal.identity?.traceId,
        signal.identity?.service,
      );
    case 'process':
      putOrigin(attributes, signal.origin);
      putProcess(attributes, signal);
      return record(
        processEventOf[signal.name],
        signal.origin.wallMs,
        undefined,
        'service' in signal ? signal.service : undefined,
      );
    case 'engine':
      putOrigin(attributes, signal.origin);
      putEngine(attributes, signal);
      return record(Event.engineState, signal.origin.wallMs);
    case 'canary':
      putId(attributes, Attr.path, signal.path);
      putId(attributes, Attr.canaryId, signal.id);
      return record(Event.canary);
  }
}

function putTurn(into: Attributes, signal: TurnSignal): void {
  putOrigin(into, signal.origin);
  putId(into, Attr.turnId, signal.turn);
  put(into, Attr.attempt, signal.attempt);
  put(into, Attr.incarnation, signal.incarnation);
  if (signal.identity !== undefined) putIdentity(into, signal.identity);
  if (signal.report !== undefined) putReport(into, signal.report);
  putHappening(into, signal.happening, signal.origin.wallMs);
}

function putOrigin(into: Attributes, origin: Origin): void {
  putId(into, Attr.processId, origin.process);
  putId(into, Attr.bootId, origin.boot);
  put(into, Attr.seq, origin.seq);
  put(into, Attr.awakeMs, origin.a);
  put(into, Attr.wallMs, origin.wallMs);
}
