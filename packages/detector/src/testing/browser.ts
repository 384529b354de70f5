import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser, BrowserType } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The Chromium of this machine: `TURNWATCH_CHROMIUM`, or the first of the usual names in the PATH. */
function findChromium(): string | undefined {
  const { TURNWATCH_CHROMIUM: own, PATH = '' } = process.env;
  if (own !== undefined && own !== '') return own;
  return PATH.split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where there is no Chromium the tests are skipped by name, and where CI=true they fail. */
const chromiumPath: string | undefined = findChromium();
export const skipsBrowser: boolean = chromiumPath === undefined && process.env.CI !== 'true';

/** @param chromium of playwright-core, which only tests may load */
export function launch(chromium: BrowserType): Promise<Browser> {
  if (chromiumPath === undefined)
    throw new Error('no Chromium in the PATH: install one, or set TURNWATCH_CHROMIUM to its path');
  return chromium.launch({
    executablePath: chromiumPath,
    // In a container there is often neither a sandbox nor shared memory to speak of.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}
