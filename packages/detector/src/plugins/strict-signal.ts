import type { EngineSignal, Signal, TurnSignal } from '@turnwatch/core';
import type { EngineReading, MappedSignal } from '@turnwatch/plugin';
import { decodeRecord, signalToRecord } from '@turnwatch/protocol';

// What plugins say is read as strictly as what comes over the wire: written as a record and decoded again, so that ids
// are cleaned, strings bounded and numbers checked in one place only.

/** The signal, or why it cannot be used. Never throws, whatever a plugin gave. */
export type Strict = { readonly signal: Signal } | { readonly refused: string };

function strictSignal(signal: Signal): Strict {
  try {
    const decoded = decodeRecord(signalToRecord(signal));
    if ('signal' in decoded) return { signal: decoded.signal };
    return { refused: 'refused' in decoded ? decoded.refused : 'it is none of the known happenings' };
  } catch (error) {
    return {
      refused: `it cannot be written as a record (${error instanceof Error ? error.message : 'unknown'})`,
    };
  }
}

/** A mapped signal has no heartbeat behind it: it is judged by its arrival. */
export function ofMapped(mapped: MappedSignal, mapperId: string): Strict {
  if (typeof mapped !== 'object' || mapped === null) return { refused: 'a mapped signal is no object' };
  const { turn, attempt = 1, happening, identity, wallMs, process } = mapped;
  const signal: TurnSignal = {
    type: 'turn',
    turn,
    attempt,
    incarnation: 1,
    origin: {
      process: process ?? identity?.service ?? `mapper-${mapperId}`,
      boot: '',
      seq: 0,
      a: 0,
      ...(wallMs === undefined ? {} : { wallMs }),
    },
    happening,
    ...(identity === undefined ? {} : { identity }),
  };
  return strictSignal(signal);
}

/** What one look at an engine comes to. `undefined`: it could not be reached. */
export function ofReading(
  engine: string,
  reading: EngineReading | undefined,
  probeId: string,
  seq: number,
): readonly Strict[] {
  const origin = { process: `probe-${probeId}`, boot: '', seq, a: 0 };
  if (reading === undefined)
    return [strictSignal({ type: 'engine', origin, engine, state: 'unreachable', slots: [], queued: 0 })];
  if (typeof reading !== 'object' || reading === null) return [{ refused: 'a reading is no object' }];
  const { state, slots = [], queued = 0, promptReads = [] } = reading;
  const seen: EngineSignal = { type: 'engine', origin, engine, state, slots, queued };
  if (!Array.isArray(promptReads)) return [strictSignal(seen), { refused: 'promptReads is no list' }];
  return [
    strictSignal(seen),
    ...promptReads.map(({ turn, read, total, request }) =>
      strictSignal({
        type: 'turn',
        turn,
        attempt: 1,
        incarnation: 1,
        origin,
        happening: {
          name: 'prompt_read',
          read,
          ...(total === undefined ? {} : { total }),
          ...(request === undefined ? {} : { request }),
        },
      }),
    ),
  ];
}
