import type { ProcessSignal } from '@turnwatch/core';
import { Attr, Event } from '../names.ts';
import { cleanId } from '../text.ts';
import { type Attributes, put, putId, putText } from './attributes.ts';

export const processEventOf: Readonly<Record<ProcessSignal['name'], string>> = {
  started: Event.processStarted,
  heartbeat: Event.processHeartbeat,
  suspending: Event.processSuspending,
  exiting: Event.processExiting,
  exited: Event.processExited,
};

export function putProcess(into: Attributes, signal: ProcessSignal): void {
  switch (signal.name) {
    case 'suspending':
      break;
    case 'exiting':
      put(into, Attr.exitCode, signal.code);
      break;
    case 'exited':
      putId(into, Attr.exitedProcess, signal.exited);
      put(into, Attr.exitCode, signal.code);
      putText(into, Attr.exitSignal, signal.signal);
      break;
    default:
      putBeat(into, signal);
  }
}

function putBeat(into: Attributes, signal: Extract<ProcessSignal, { openCount: number }>): void {
  put(into, Attr.wokeMs, signal.wokeA);
  put(into, Attr.loopAgeMs, signal.loopAgeMs);
  put(into, Attr.worker, signal.worker);
  put(into, Attr.hostClass, signal.hostClass);
  put(into, Attr.openCount, signal.openCount);
  if (signal.openTurns.length > 0) put(into, Attr.openTurns, signal.openTurns.map(cleanId));
  const ended = signal.endedTurns;
  if (ended.length === 0) return;
  put(
    into,
    Attr.endedTurns,
    ended.map((turn) => cleanId(turn.turn)),
  );
  put(
    into,
    Attr.endedAttempts,
    ended.map((turn) => turn.attempt),
  );
  put(
    into,
    Attr.endedOutcomes,
    ended.map((turn) => turn.outcome),
  );
}
