import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@turnwatch/detector';
import { describe, expect, test } from 'vitest';
import { parseFlags } from '../flags.ts';
import { serveFlags } from './command.ts';

// No container engine and no systemd runs here: what the examples name must exist and be what the command takes.

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const deploy = join(root, 'examples/deploy');
const read = (name: string): string => readFileSync(join(deploy, name), 'utf8');
const { config } = loadConfig({ file: join(deploy, 'turnwatch.yaml') });

describe('the systemd unit', () => {
  const settings = new Map(
    [...read('turnwatch.service').matchAll(/^([A-Za-z]+)=(.*)$/gm)].map(([, key = '', value = '']) => [
      key,
      value,
    ]),
  );
  const of = (key: string): string => settings.get(key) ?? '';

  test('starts what the command line takes', () => {
    const [env, name, command, ...flags] = of('ExecStart').split(' ');
    expect([env, name, command]).toEqual(['/usr/bin/env', 'turnwatch', 'serve']);
    expect(parseFlags(flags, serveFlags).flags).toEqual({ config: '/etc/turnwatch/turnwatch.yaml' });
  });

  test('keeps the database where it may write, and nothing else', () => {
    expect(config.store).toEqual({ file: `/var/lib/${of('StateDirectory')}/turnwatch.db` });
    expect([of('DynamicUser'), of('ProtectSystem'), of('NoNewPrivileges')]).toEqual(['yes', 'strict', 'yes']);
  });

  test('hears the detector, gives it the time to stop and to be missed, and reloads by SIGHUP', () => {
    expect([of('Type'), of('NotifyAccess')]).toEqual(['notify', 'all']);
    expect(Number.parseInt(of('TimeoutStopSec'), 10)).toBeGreaterThanOrEqual(10);
    expect(Number.parseInt(of('WatchdogSec'), 10)).toBeGreaterThanOrEqual(6);
    expect(of('ExecReload')).toBe('/bin/kill -HUP $MAINPID');
  });
});

describe('the Containerfile', () => {
  const text = read('Containerfile').replaceAll('\\\n', '');
  const last = (word: string): string =>
    text
      .match(new RegExp(`^${word} (.*)$`, 'gm'))
      ?.at(-1)
      ?.slice(word.length + 1) ?? '';

  test('starts what the build makes, with flags that the command takes', () => {
    const [node, script = ''] = JSON.parse(last('ENTRYPOINT')) as string[];
    expect(node).toBe('node');
    const manifest = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
      bin: { turnwatch: string };
    };
    expect(script).toBe(join('packages/cli', manifest.bin.turnwatch));
    const [command, ...flags] = JSON.parse(last('CMD')) as string[];
    expect(command).toBe('serve');
    expect(parseFlags(flags, serveFlags).flags).toEqual({ config: '/etc/turnwatch/turnwatch.yaml' });
    for (const [, path = ''] of text.matchAll(/\/build\/(packages|node_modules)/g))
      expect(existsSync(join(root, path)), path).toBe(true);
  });

  test('is nobody in particular, listens and is asked on one port, keeps its database in the volume', () => {
    expect(last('USER')).toBe('node');
    expect(last('STOPSIGNAL')).toBe('SIGTERM');
    expect(Number(last('EXPOSE'))).toBe(config.listen.port);
    expect(text).toContain(`http://127.0.0.1:${config.listen.port}/healthz`);
    const environment = Object.fromEntries(
      last('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    ) as Record<string, string>;
    const tokens = [{ id: 'a', token: '0123456789abcdef', scopes: ['admin'] as const }];
    const inside = loadConfig({ file: join(deploy, 'turnwatch.yaml'), environment, flags: { tokens } });
    expect(inside.warnings).toEqual([]);
    expect(inside.config.listen.host).toBe('0.0.0.0');
    expect(inside.config.store).toEqual({ file: `${last('VOLUME')}/turnwatch.db` });
  });
});
