export type { McpOptions } from './client-calls.ts';
export { type ClientLike, observe } from './observe.ts';
