import type { Dialect } from './dialect.ts';
import { text } from './reading.ts';

/** What nobody knows: any data is content, so that a stream that moves is never taken for a silent one. */
export const generic: Dialect = {
  name: 'generic',
  takes: () => false,
  streams: () => false,
  saysEnd: false,
  read: () => text,
  usage: () => undefined,
};
