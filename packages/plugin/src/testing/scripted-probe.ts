import type { EngineProbe, EngineReading } from '../engine-probe.ts';

/** An engine that shows what a test says. */
export class ScriptedProbe implements EngineProbe {
  readonly engine: string;
  looks = 0;
  /** The answer to each look; throw in it for an engine that cannot be reached. */
  answer: (signal: AbortSignal) => EngineReading | Promise<EngineReading> = () => ({ state: 'idle' });

  constructor(engine: string) {
    this.engine = engine;
  }

  async probe(signal: AbortSignal): Promise<EngineReading> {
    this.looks++;
    return this.answer(signal);
  }
}
