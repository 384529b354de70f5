import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApi } from '@turnwatch/protocol';
import { expect, test } from 'vitest';
import { fits, routesIn } from './documented-routes.ts';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file): [string, ReturnType<typeof routesIn>] => [
    file,
    routesIn(readFileSync(join(docs, file), 'utf8')),
  ])
  .filter(([, routes]) => routes.length > 0);
const templates = Object.entries(openApi({ version: '0' }).paths as Record<string, object>);

test.each(pages)('docs/%s names only routes that there are', (_file, routes) => {
  const missing = routes.filter(
    ({ method, path }) =>
      !templates.some(([template, methods]) => fits(path, template) && method.toLowerCase() in methods),
  );
  expect(missing).toEqual([]);
});

test('most pages with routes are found, and runbooks among them', () => {
  expect(pages.flatMap(([, routes]) => routes).length).toBeGreaterThan(60);
  expect(pages.filter(([file]) => file.startsWith('runbooks')).length).toBeGreaterThan(4);
});

test.each([
  ['see `GET /v1/endpoints/ID`: its error', [{ method: 'GET', path: '/v1/endpoints/ID' }]],
  [
    '`GET|POST /v1/endpoints`',
    [
      { method: 'GET', path: '/v1/endpoints' },
      { method: 'POST', path: '/v1/endpoints' },
    ],
  ],
  [
    '`POST /v1/turns/:id/{mute,close}`',
    [
      { method: 'POST', path: '/v1/turns/:id/mute' },
      { method: 'POST', path: '/v1/turns/:id/close' },
    ],
  ],
  ['tw "$TW/v1/turns?state=stale"  # or /v1/nothing', [{ method: 'GET', path: '/v1/turns' }]],
  ['tw -X POST \\\n  $TW/v1/turns/T/mute', [{ method: 'POST', path: '/v1/turns/T/mute' }]],
  ["curl http://127.0.0.1:4318/v1/logs -d '{}'", [{ method: 'POST', path: '/v1/logs' }]],
  ['curl http://127.0.0.1:8080/v1/chat/completions', []],
])('%s', (page, routes) => {
  expect(routesIn(page)).toEqual(routes);
});

test('a path fits its own template only', () => {
  expect(fits('/v1/turns/T/close', '/v1/turns/{id}/close')).toBe(true);
  expect(fits('/v1/turns/T', '/v1/turns')).toBe(false);
  expect(fits('/v1/turns/', '/v1/turns/{id}')).toBe(false);
  expect(fits('/v1/turns/T/shut', '/v1/turns/{id}/close')).toBe(false);
});
