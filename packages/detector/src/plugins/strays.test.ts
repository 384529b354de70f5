import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { ChildDetector } from '../testing/child-detector.ts';
import { pluginFiles, sinkSource } from '../testing/plugin-files.ts';
import { ownerOf, runAs, type ScopeOwner } from './plugin-scope.ts';

const children: ChildDetector[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await child.end('SIGKILL');
});

async function serving(files: Readonly<Record<string, string>>): Promise<ChildDetector> {
  const plugins = Object.keys(files).map((file) => ({ plugin: `./${file}` }));
  const config = { detector: { listen: { port: 0 }, store: 'memory', mappers: false, plugins } };
  const folder = pluginFiles({ ...files, 'turnwatch.yaml': JSON.stringify(config) }, onTestFinished);
  const child = await ChildDetector.start(join(folder, 'turnwatch.yaml'));
  children.push(child);
  return child;
}

interface Status {
  readonly id: string;
  readonly uncaught: number;
  readonly lastError: { readonly message: string } | null;
}

async function statuses(child: ChildDetector): Promise<readonly Status[]> {
  const { plugins } = (await (await fetch(`${child.url}/v1/plugins`)).json()) as {
    plugins: readonly Status[];
  };
  return plugins;
}

const starting = (name: string, body: string): string =>
  sinkSource('', name).replace('({ async deliver', `({ start() { ${body} }, async deliver`);

describe('an error that a plugin catches nowhere', () => {
  test('is booked on it, whichever way it comes, and the detector goes on', async () => {
    const child = await serving({
      'careless.mjs': `import { connect } from 'node:net';
        import { EventEmitter } from 'node:events';
        ${starting(
          'careless',
          `setTimeout(() => { throw new Error('in a timer'); }, 1);
           setImmediate(() => { throw new Error('in an immediate'); });
           Promise.reject(new Error('forgotten'));
           queueMicrotask(() => { throw new Error('in a microtask'); });
           (async () => { await null; throw new Error('behind an await'); })();
           setTimeout(() => new EventEmitter().emit('error', new Error('of an emitter')), 1);
           connect(1, '127.0.0.1');
           host.timers.after(1, () => { throw new Error('in a timer of the host'); });`,
        )}`,
      'fine.mjs': starting('fine', ''),
    });
    let all = await statuses(child);
    while ((all[0]?.uncaught ?? 0) < 8) all = await statuses(child);
    expect(all.map(({ id, uncaught }) => [id, uncaught])).toEqual([
      ['careless', 8],
      ['fine', 0],
    ]);
    expect((await fetch(`${child.url}/healthz`)).status).toBe(200);
    expect(child.output).toContain('"plugin":"careless"');
    expect(await child.end('SIGTERM')).toBe(0);
  });
});

describe('whose an error is', () => {
  const owner = (id: string, folder: string): ScopeOwner => ({ id, folder, stray: () => undefined });
  const thrownIn = (file: string): Error =>
    Object.assign(new Error('x'), {
      stack: `Error: x\n    at work (file://${file}:1:1)\n    at main.js:2:2`,
    });

  test('is who the context says, before the stack', () => {
    const inside = runAs(owner('context', ''), () => ownerOf(thrownIn('/p/a/x.js'), [owner('a', '/p/a')]));
    expect(inside?.id).toBe('context');
  });

  test('is the innermost folder of the stack where no context is left', () => {
    const owners = [owner('outer', '/p'), owner('inner', '/p/inner'), owner('built-in', '')];
    expect(ownerOf(thrownIn('/p/inner/x.js'), owners)?.id).toBe('inner');
    expect(ownerOf(thrownIn('/p/x.js'), owners)?.id).toBe('outer');
    expect(ownerOf(thrownIn('/inner/x.js'), owners)).toBeUndefined();
    expect(ownerOf('no error', owners)).toBeUndefined();
  });
});
