// Puts the files of the live page that no compiler makes beside those that one does. Run in packages/detector.
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';

mkdirSync('dist/page', { recursive: true });
for (const name of readdirSync('src/page'))
  if (/\.(css|html|svg)$/.test(name)) copyFileSync(`src/page/${name}`, `dist/page/${name}`);
