import type { EngineSignal, EngineSlot, Origin } from '@turnwatch/core';
import { Attr } from '../names.ts';
import { cleanId } from '../text.ts';
import { engineStates } from '../vocabulary.ts';
import type { Fields } from './fields.ts';
import { known } from './known.ts';

/** A string is the reason why the record cannot be used. */
export function readEngine(fields: Fields, origin: Origin): EngineSignal | string {
  const engine = fields.id(Attr.engineId);
  const state = fields.word(Attr.engineState, engineStates);
  if (engine === undefined) return `${Attr.engineId} is missing or empty: name the engine`;
  if (state === undefined) return `${Attr.engineState} must be one of ${engineStates.join(', ')}`;
  const queued = fields.amount(Attr.engineQueued) ?? 0;
  return { type: 'engine', origin, engine, state, queued, slots: readSlots(fields) };
}

/** Empty where the columns do not fit each other: a slot that cannot be trusted is no evidence. */
function readSlots(fields: Fields): readonly EngineSlot[] {
  const length = fields.length(Attr.slotIds);
  const ids = fields.numbers(Attr.slotIds, length);
  const turns = fields.texts(Attr.slotTurns, length, cleanId);
  const read = fields.amounts(Attr.slotRead, length);
  const generated = fields.amounts(Attr.slotGenerated, length);
  const slots: EngineSlot[] = [];
  for (const [row, id] of (ids ?? []).entries()) {
    const readTokens = read?.[row];
    const generatedTokens = generated?.[row];
    if (readTokens === undefined || generatedTokens === undefined) {
      fields.note(Attr.slotIds, 'has a row without its counters');
      return [];
    }
    slots.push({
      id,
      read: readTokens,
      generated: generatedTokens,
      ...known({ turn: turns?.[row] || undefined }),
    });
  }
  return slots;
}
