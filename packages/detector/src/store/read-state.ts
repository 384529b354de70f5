import type { DatabaseSync } from 'node:sqlite';
import type { SavedBaseline, SavedRest, SavedTurn } from '@turnwatch/core';
import type { OwnedKind } from '../access/owners.ts';
import { corrupt } from './open-database.ts';
import type { StoredClocks, StoredState } from './turn-store.ts';

/**
 * Everything a detector goes on from.
 * @throws {StoreError} where a row cannot be read
 */
export function readState(database: DatabaseSync, place: string): StoredState {
  const saved = (table: 'turns' | 'baselines'): string[] =>
    database
      .prepare(`SELECT saved FROM ${table} ORDER BY rowid`)
      .all()
      .map((row) => String(row.saved));
  const meta = (key: string): string | undefined => {
    const row = database.prepare('SELECT value FROM meta WHERE key = ?').get(key);
    return row === undefined ? undefined : String(row.value);
  };
  const parsed = <T>(text: string, what: string): T => {
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw corrupt(place, `a row of ${what} cannot be read`, error);
    }
  };
  const rest = meta('rest');
  const clocks = meta('clocks');
  return {
    turns: saved('turns').map((text) => parsed<SavedTurn>(text, 'turns')),
    baselines: saved('baselines').map((text) => parsed<SavedBaseline>(text, 'baselines')),
    awakeMs: Number(meta('awake_ms') ?? 0),
    sequence: Number(meta('sequence') ?? 0),
    owners: database
      .prepare('SELECT kind, id, owner FROM owners')
      .all()
      .map(({ kind, id, owner }) => ({ kind: kind as OwnedKind, id: String(id), owner: String(owner) })),
    ...(rest === undefined ? {} : { rest: parsed<SavedRest>(rest, 'meta') }),
    ...(clocks === undefined ? {} : { clocks: parsed<StoredClocks>(clocks, 'meta') }),
  };
}
