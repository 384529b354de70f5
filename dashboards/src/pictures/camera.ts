import { mkdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { launch } from '../../../packages/detector/src/testing/browser.ts';
import type { Shown } from './asked.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};
// Nothing listens there: the browser is handed the files.
const origin = 'http://pictures.invalid';

/** Puts Grafana's components and the page that shows them into one bundle. */
export async function bundle(root: string, outDir: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    base: './',
    build: { outDir, emptyOutDir: true, minify: false, chunkSizeWarningLimit: 1e6 },
  });
}

/** Draws each dashboard: `<id>.png` the whole of it, `<id>/<panel>.png` one panel. */
export async function photograph(
  bundleFolder: string,
  dashboards: Readonly<Record<string, Shown>>,
  folder: string,
): Promise<void> {
  const browser = await launch(chromium);
  try {
    // Higher than any of them: tables out of sight draw no rows.
    const page = await browser.newPage({ viewport: { width: 1600, height: 4000 } });
    const faults: string[] = [];
    page.on('pageerror', (error) => void faults.push(String(error)));
    await serve(page, bundleFolder);
    await page.goto(`${origin}/index.html`);
    for (const [id, shown] of Object.entries(dashboards)) {
      await page.evaluate(
        (of) => (globalThis as unknown as { show(of: unknown): Promise<void> }).show(of),
        shown,
      );
      mkdirSync(join(folder, id), { recursive: true });
      await page.locator('main').screenshot({ path: join(folder, `${id}.png`) });
      for (const panel of await page.locator('[data-panel]').all()) {
        const title = (await panel.getAttribute('data-panel')) ?? '';
        await panel.screenshot({ path: join(folder, id, `${title.replace(/\W+/g, '-').toLowerCase()}.png`) });
      }
    }
    if (faults.length > 0) throw new Error(`the page of pictures failed:\n${faults.join('\n')}`);
  } finally {
    await browser.close();
  }
}

function serve(page: Page, folder: string): Promise<unknown> {
  return page.route('**/*', async (route) => {
    const file = resolve(folder, `.${new URL(route.request().url()).pathname}`);
    const contentType = types[extname(file)];
    if (contentType === undefined || relative(folder, file).startsWith('..')) await route.abort();
    else await route.fulfill({ contentType, body: readFileSync(file) });
  });
}
