// What packages that follow one framework share. It follows the version of this package exactly and may change with it.

export { BoundedMap } from './framework/bounded-map.ts';
export { idOf, type Json, type RpcId, recordOf, textOf } from './framework/json-rpc.ts';
export { type Quietly, quietlyFor } from './framework/quietly.ts';
export { type RequestSource, requestSource } from './framework/request-source.ts';
export { type EndingProcess, WaitingTurns } from './framework/waiting-turns.ts';
export { providerOf } from './register/provider-of-host.ts';
export { countError, harmless } from './stream/guard.ts';
export type { ObservedRequest } from './stream/observer.ts';
export { type WireOptions, WireRequest, type WireStart } from './stream/wire-request.ts';
