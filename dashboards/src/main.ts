import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argumentsOf } from '../../test/script/arguments.ts';
import { generatedFiles } from './generated.ts';

argumentsOf(
  'dashboards',
  `npm run dashboards

Writes the dashboards and rules that are generated. A test fails while a file differs from what stands here.
`,
  {},
);
const folder = fileURLToPath(new URL('../', import.meta.url));
for (const [path, content] of generatedFiles()) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  console.log(path);
}
