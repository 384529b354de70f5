import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.ts';
import { kill, launched } from './run-case.ts';
import type { Stage } from './stage.ts';

/**
 * Some that are at work all the while and well: where most processes of a host fall silent at once, a cause that they share
 * is likelier than so many deaths, and the detector waits longer.
 * @returns what ends them
 */
export function bystanders(client: Client, installed: string, stage: Stage): () => Promise<void> {
  const words = Array.from({ length: 1000 }, (_, index) => `word${index}`).join(' ');
  const children = [1, 2, 3].map((number) => {
    const model = `bystander-${number}`;
    stage.play(model, () => [{ do: 'text', text: words, gapMs: 1000 }]);
    const home = join(stage.scratch, model);
    mkdirSync(home);
    const setting = {
      way: 'register',
      installed,
      home,
      api: stage.provider,
      detector: stage.detector,
    } as const;
    return launched(client.launch({ ...setting, model, resumes: false }), home);
  });
  return async () => {
    for (const child of children) kill(child);
    await Promise.all(children.map(({ ended }) => ended));
  };
}
