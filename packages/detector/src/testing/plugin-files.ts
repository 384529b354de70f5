import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * A folder of plugins and configurations. Keys are paths, values what stands in the files.
 * @param onFinished vitest's `onTestFinished`: the folder is gone with the test
 */
export function pluginFiles(
  files: Readonly<Record<string, string>>,
  onFinished: (work: () => void) => void,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwatch-plugins-'));
  onFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The source of a sink whose `deliver` has this body. */
export function sinkSource(body: string, name = 'scripted'): string {
  return `export const plugin = {
    apiVersion: 1,
    kind: 'sink',
    name: '${name}',
    create: (options, host) => ({ async deliver(event, delivery) { ${body} } }),
  };\n`;
}
