export * from './decode-json.ts';
export * from './decode-protobuf.ts';
export * from './encode-json.ts';
export * from './encode-protobuf.ts';
export * from './error.ts';
export type { ResourceAttributes, Scope } from './resource.ts';
export * from './response.ts';
export type { DecodeLimits, DecodeResult, RecordSink, Selection } from './selection.ts';
export { defaultMaxRecords, ownSelection } from './selection.ts';
