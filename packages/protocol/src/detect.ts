// What a detector needs: records to signals, verdicts to documents. Free of dependencies and of schemas, so that it can
// be loaded into an agent's own process for next to nothing.

export { type Decoded, decodeRecord } from './decode.ts';
export type * from './event/document.ts';
export { type DocumentContext, toDocument } from './event/to-document.ts';
export type { WireRecord } from './record.ts';
