import type { ForeignRecord } from '../foreign-record.ts';
import type { MappedSignal, MapperPrecision, MapperSelection, SignalMapper } from '../signal-mapper.ts';

/** A mapper that does as a test says. */
export class ScriptedMapper implements SignalMapper {
  readonly selects: MapperSelection;
  readonly precision: MapperPrecision;
  readonly exporterDelayMs: number;
  readonly seen: ForeignRecord[] = [];
  /** What a record comes to. Default: nothing. */
  answer: (record: ForeignRecord) => readonly MappedSignal[] = () => [];

  constructor(selects: MapperSelection, precision: MapperPrecision = 'coarse', exporterDelayMs = 0) {
    this.selects = selects;
    this.precision = precision;
    this.exporterDelayMs = exporterDelayMs;
  }

  map(records: readonly ForeignRecord[]): readonly MappedSignal[] {
    this.seen.push(...records);
    return records.flatMap((record) => this.answer(record));
  }
}
