import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { readPageFiles } from './page-files.ts';

let running: RunningDetector;
beforeEach(async () => {
  running = await runDetector();
});
afterEach(() => running.detector.stop());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${running.url}${path}`, { headers });

test('a browser gets the page, everybody else the index of the API', async () => {
  const page = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('vary')).toBe('Accept');
  expect(await page.text()).toContain('<script type="module" src="page/main.js">');
  for (const accept of ['*/*', 'text/plain', 'application/json, text/plain;q=0.5'])
    expect(await (await get('/', { accept })).text()).toMatch(/^turnwatch detector\n/);
});

test('nothing from elsewhere and nothing inline is let in', async () => {
  const { headers } = await get('/', { accept: 'text/html' });
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
  expect(policy).not.toContain('unsafe');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});

test('every file that a file of the page names is there, and its types are gone', async () => {
  const named = new Set(['main.js', 'page.css', 'icon.svg']);
  for (const name of named) {
    const response = await get(`/page/${name}`);
    expect(response.status, name).toBe(200);
    const text = await response.text();
    if (!/\.[jt]s$/.test(name)) continue;
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(text).not.toMatch(/^import type |: string[,)] /m);
    for (const [, found] of text.matchAll(/from '\.\/([^']+)'/g)) named.add(String(found));
  }
  expect(named.size).toBeGreaterThan(15);
});

test('what is unchanged is not sent again', async () => {
  const etag = (await get('/page/page.css')).headers.get('etag') ?? '';
  const again = await get('/page/page.css', { 'if-none-match': etag });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('only files of the page are there', async () => {
  for (const name of ['tsconfig.json', 'live-page.test.ts', '..%2Fserve.ts', 'nothing.js'])
    expect((await get(`/page/${name}`)).status, name).toBe(404);
});

test('a build has JavaScript in the place of the sources', () => {
  expect([...readPageFiles().keys()]).toEqual(expect.arrayContaining(['index.html', 'main.js', 'words.ts']));
});
