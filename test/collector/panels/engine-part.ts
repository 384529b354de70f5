import { fileURLToPath } from 'node:url';
import { ScriptedEngine } from '@turnwatch/testing/engine';
import { type Ending, SceneProcess } from './scene-process.ts';

const cli = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

export interface EnginePart {
  /** Resolves when the query has a series. */
  readonly says: (expr: string) => Promise<void>;
  /** Where `turnwatch engine` sends what it sees. */
  readonly endpoint: string;
  /** Hears of everybody that is to be ended with the scene. */
  readonly take: (one: Ending) => void;
}

/**
 * A local engine that reads 3000 tokens and generates 60 while two requests wait, under the eyes of `turnwatch engine`.
 * Each step is known to Prometheus before the next, so that rates are of what happened.
 */
export async function playEngine({ says, endpoint, take }: EnginePart): Promise<void> {
  const engine = await ScriptedEngine.start('llama-cpp');
  take({ end: () => engine.close() });
  const slot = { id: 0, read: 1000, generated: 0 };
  engine.slots = [slot];
  engine.queued = 2;
  take(
    new SceneProcess({
      script: cli,
      args: ['engine', '--url', engine.url, '--name', 'gpu', '--endpoint', endpoint],
    }),
  );
  await says('turnwatch_engines{state="busy"} == 1');
  for (const [read, generated] of [
    [2000, 0],
    [3000, 0],
    [0, 20],
    [0, 60],
  ] as const) {
    if (read > 0) engine.reads(0, 1000 + read - slot.read);
    slot.generated = generated;
    await says(
      generated > 0
        ? `turnwatch_engine_tokens_generated_total == ${generated}`
        : `turnwatch_engine_tokens_read_total == ${read}`,
    );
  }
}
