import type { EngineSignal } from '@turnwatch/core';
import { Attr } from '../names.ts';
import { cleanId } from '../text.ts';
import { type Attributes, put, putId, putTextColumn } from './attributes.ts';

export function putEngine(into: Attributes, signal: EngineSignal): void {
  putId(into, Attr.engineId, signal.engine);
  put(into, Attr.engineState, signal.state);
  put(into, Attr.engineQueued, signal.queued);
  if (signal.slots.length === 0) return;
  put(
    into,
    Attr.slotIds,
    signal.slots.map((slot) => slot.id),
  );
  putTextColumn(into, Attr.slotTurns, signal.slots, (slot) => slot.turn && cleanId(slot.turn));
  put(
    into,
    Attr.slotRead,
    signal.slots.map((slot) => slot.read),
  );
  put(
    into,
    Attr.slotGenerated,
    signal.slots.map((slot) => slot.generated),
  );
}
