export { MemorySink } from './testing/memory-sink.ts';
export { ScriptedMapper } from './testing/scripted-mapper.ts';
export { ScriptedProbe } from './testing/scripted-probe.ts';
export { TestHost, type TestHostOptions } from './testing/test-host.ts';
