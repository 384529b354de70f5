// npm run dashboards: writes what is generated. A test fails while a file differs from what stands here.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './generated.ts';

const folder = fileURLToPath(new URL('../', import.meta.url));
for (const [path, content] of generatedFiles()) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  console.log(path);
}
