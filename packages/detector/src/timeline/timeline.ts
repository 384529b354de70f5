import type { Effect, Now, Registry, TurnSignal } from '@turnwatch/core';
import type { TimelineDocument } from '@turnwatch/protocol';
import { TurnRecord } from './turn-record.ts';

const defaultMaxTurns = 20_000;
const defaultMaxEntries = 300_000;
/** How far is looked for a turn that has settled before one that runs is dropped. */
const looked = 200;

export interface TimelineOptions {
  readonly registry: () => Registry;
  readonly startedAtMs: number;
  /** Default 20,000. */
  readonly maxTurns?: number;
  /** Of all turns together. Default 300,000. */
  readonly maxEntries?: number;
}

/**
 * What happened in each turn, for people who ask why. In memory only, bounded per turn and in total, and without any
 * content. Nothing is judged by it.
 */
export class Timeline {
  readonly #options: TimelineOptions;
  readonly #records = new Map<string, TurnRecord>();
  #entries = 0;

  constructor(options: TimelineOptions) {
    this.#options = options;
  }

  get turns(): number {
    return this.#records.size;
  }

  get entries(): number {
    return this.#entries;
  }

  of(turn: string): TurnRecord | undefined {
    return this.#records.get(turn);
  }

  /** A record, before it is merged. */
  hear(signal: TurnSignal, now: Now): void {
    const known = this.#records.get(signal.turn);
    // With more running turns than there is room for, each heartbeat would push out the record of the next.
    if (known === undefined && this.#full && signal.happening.name === 'heartbeat') return;
    const standing = (): ReturnType<Registry['turn']> => this.#options.registry().turn(signal.turn, now);
    const record = known ?? this.#open(signal.turn, this.#beginOf(signal, standing()?.startedAtMs));
    this.#count(record, () => record.hear(signal, now.wallMs, standing));
  }

  /** After it was merged: what only the registry knows. */
  merged(signal: TurnSignal, now: Now): void {
    const { happening, report, turn } = signal;
    const coarse = report === undefined && happening.name !== 'ended';
    if (!coarse && happening.name !== 'tool_started') return;
    const record = this.#records.get(turn);
    const view = this.#options.registry().turn(turn, now);
    if (record === undefined || view === undefined || record.settled) return;
    this.#count(record, () => {
      if (coarse) record.phase(view.phase, now.wallMs);
      record.graces(view.calls);
    });
  }

  effect(effect: Effect, now: Now): void {
    if (effect.kind === 'ended') {
      const record = this.#records.get(effect.turn);
      if (record !== undefined) this.#count(record, () => record.ended(effect.outcome, now.wallMs));
    }
    if (effect.kind !== 'publish' || effect.event.type === 'source.silent') return;
    const { event } = effect;
    // A verdict on a turn of before the restart is worth a record of its own.
    const record = this.#records.get(event.turn) ?? this.#open(event.turn, 'detector_start');
    this.#count(record, () => record.event(event));
  }

  /** What an operator did. */
  operator(turn: string, action: string, wallMs: number): void {
    const record = this.#records.get(turn) ?? this.#open(turn, 'detector_start');
    this.#count(record, () => record.operator(action, wallMs));
  }

  forget(turns: Iterable<string>): void {
    for (const turn of turns) this.#drop(turn);
  }

  get #full(): boolean {
    const { maxTurns = defaultMaxTurns, maxEntries = defaultMaxEntries } = this.#options;
    return this.#records.size >= maxTurns || this.#entries >= maxEntries;
  }

  #beginOf(signal: TurnSignal, knownSinceMs: number | undefined): TimelineDocument['begins'] {
    if (signal.happening.name === 'started' && knownSinceMs === undefined) return 'turn_start';
    if (knownSinceMs === undefined) return 'first_heard';
    return knownSinceMs < this.#options.startedAtMs ? 'detector_start' : 'dropped';
  }

  #open(turn: string, begins: TimelineDocument['begins']): TurnRecord {
    const record = new TurnRecord(begins);
    this.#records.set(turn, record);
    if (this.#records.size > (this.#options.maxTurns ?? defaultMaxTurns)) this.#dropOldest(turn);
    return record;
  }

  #count(record: TurnRecord, work: () => void): void {
    const before = record.entries.length;
    work();
    this.#entries += record.entries.length - before;
    while (this.#entries > (this.#options.maxEntries ?? defaultMaxEntries) && this.#records.size > 1)
      this.#dropOldest(undefined);
  }

  /** The oldest that has settled; where none of the oldest has, the oldest. */
  #dropOldest(but: string | undefined): void {
    let chosen: string | undefined;
    let seen = 0;
    for (const [turn, { settled }] of this.#records) {
      if (turn === but) continue;
      chosen ??= turn;
      if (settled) {
        chosen = turn;
        break;
      }
      if (++seen >= looked) break;
    }
    if (chosen !== undefined) this.#drop(chosen);
  }

  #drop(turn: string): void {
    this.#entries -= this.#records.get(turn)?.entries.length ?? 0;
    this.#records.delete(turn);
  }
}
