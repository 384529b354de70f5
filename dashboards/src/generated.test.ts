import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { generatedFiles } from './generated.ts';

const folder = fileURLToPath(new URL('../', import.meta.url));
const files = generatedFiles();

test.each([...files])('%s is what the code makes; npm run dashboards writes it', (path, content) => {
  expect(readFileSync(`${folder}${path}`, 'utf8')).toBe(content);
});

test('nothing lies beside that is no longer made', () => {
  const found = readdirSync(`${folder}grafana`).map((name) => `grafana/${name}`);
  expect(found.filter((path) => !files.has(path))).toEqual([]);
});
