import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventJsonSchemas } from '@turnwatch/protocol';
import { renderEvents } from './render-events.ts';
import type { JsonSchema } from './shape.ts';

const target = fileURLToPath(new URL('../src/receive/events.generated.ts', import.meta.url));
const biome = fileURLToPath(new URL('../../../node_modules/.bin/biome', import.meta.url));

/** The text that src/receive/events.generated.ts must have, formatted as the repository is. */
export function generatedEvents(): string {
  const source = renderEvents(eventJsonSchemas() as Readonly<Record<string, JsonSchema>>);
  return execFileSync(biome, ['format', `--stdin-file-path=${target}`], { input: source, encoding: 'utf8' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, generatedEvents());
