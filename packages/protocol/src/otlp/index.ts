export * from './count-json.ts';
export * from './count-protobuf.ts';
export type { CountedSignal, CountLimits, CountSink } from './counted.ts';
export * from './decode-json.ts';
export * from './decode-protobuf.ts';
export * from './encode-json.ts';
export * from './encode-protobuf.ts';
export * from './error.ts';
export { readForeignJson } from './foreign-json.ts';
export { readForeignProtobuf } from './foreign-protobuf.ts';
export type {
  ForeignLimits,
  ForeignOtlpSignal,
  ForeignSelection,
  ForeignSink,
  WireForeign,
  WireForeignLog,
  WireForeignSpan,
} from './foreign-record.ts';
export { type Maker, makers } from './maker.ts';
export type { ResourceAttributes, Scope } from './resource.ts';
export * from './response.ts';
export type { DecodeLimits, DecodeResult, RecordSink, Selection } from './selection.ts';
export { defaultMaxRecords, ownSelection } from './selection.ts';
