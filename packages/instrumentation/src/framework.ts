// What packages that follow one framework share. It follows the version of this package exactly and may change with it.

export { BoundedMap } from './framework/bounded-map.ts';
export { idOf, type Json, type RpcId, recordOf, textOf } from './framework/json-rpc.ts';
export { type Quietly, quietlyFor } from './framework/quietly.ts';
export { type RequestSource, requestSource } from './framework/request-source.ts';
export { type EndingProcess, WaitingTurns } from './framework/waiting-turns.ts';
