import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateSecret } from '@turnwatch/webhook/receive';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DetectorProcess, freePort } from './detector-process.ts';
import { hasty, post, stalledTurn } from './stalled-turn.ts';

// What a newcomer does: copies a parent out of the README into a file, runs it, and lets a turn stop.

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'packages/webhook/README.md'), 'utf8');
const secret = generateSecret();

let directory: string;
let parent: ChildProcess | undefined;
let detector: DetectorProcess | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-readme-'));
});
afterEach(async () => {
  await detector?.end('SIGKILL');
  if (parent !== undefined && parent.exitCode === null && parent.signalCode === null) {
    const closed = once(parent, 'close');
    parent.kill('SIGKILL');
    await closed;
  }
  rmSync(directory, { recursive: true });
});

/** The one program of the README that imports `module` and listens. */
function programWith(module: string): string {
  const programs = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code = '']) => code)
    .filter((code) => code.includes(`from '${module}'`));
  expect(programs).toHaveLength(1);
  return programs[0] ?? '';
}

/** Runs it as it stands, but for the port, which may be taken here; gives what it prints from then on. */
async function run(code: string, port: number): Promise<() => string> {
  expect(code.match(/\b3000\b/g)).toHaveLength(1);
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(directory, 'parent.ts'), code.replace(/\b3000\b/, String(port)));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
  const child = spawn(process.execPath, ['--conditions=@turnwatch/source', 'parent.ts'], {
    cwd: directory,
    env: { ...process.env, TURNWATCH_WEBHOOK_SECRET: secret },
  });
  parent = child;
  let output = '';
  const take = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  await expect
    .poll(
      async () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output}`);
        return await fetch(`http://127.0.0.1:${port}/`).then(
          ({ status }) => status,
          () => 0,
        );
      },
      { timeout: 15_000 },
    )
    .toBe(404);
  return () => output;
}

async function stallOneTurn(parentPort: number): Promise<void> {
  const file = join(directory, 'turnwatch.json');
  const endpoints = [{ id: 'parent', url: `http://127.0.0.1:${parentPort}/turnwatch`, secret }];
  const config = { listen: { port: 0 }, store: 'memory', policy: hasty, endpoints };
  writeFileSync(file, JSON.stringify({ detector: config }));
  detector = DetectorProcess.start(file);
  const response = await post(await detector.ready, stalledTurn('turn_of_a_newcomer').records);
  expect(response.status).toBe(200);
}

test.each(['express', 'hono'])(
  'the README’s parent with %s, copied and run, hears of a stale turn',
  async (framework) => {
    const port = await freePort();
    const printed = await run(programWith(framework), port);
    await stallOneTurn(port);
    await expect
      .poll(printed, { timeout: 15_000 })
      .toContain('turn turn_of_a_newcomer has stopped: silence\n');
  },
  60_000,
);
