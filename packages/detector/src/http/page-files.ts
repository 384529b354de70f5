import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  ts: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/**
 * The files of the page by name, read once. Run from the sources, the types are stripped here, as Node does with its own
 * modules; a build has JavaScript.
 */
export function readPageFiles(
  folder: URL = new URL('../page/', import.meta.url),
): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder)) {
    const ending = name.slice(name.lastIndexOf('.') + 1);
    const type = types[ending];
    if (type === undefined || /\.(d|test)\.ts$/.test(name)) continue;
    const raw = readFileSync(new URL(name, folder));
    const body = ending === 'ts' ? Buffer.from(nodeModule.stripTypeScriptTypes(raw.toString())) : raw;
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    files.set(name, { type, body, etag });
    // index.html asks for main.js; its imports name each other as they are written.
    if (name === 'main.ts') files.set('main.js', { type, body, etag });
  }
  return files;
}
