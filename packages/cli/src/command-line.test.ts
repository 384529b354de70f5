import { expect, test } from 'vitest';
import { runCommandLine } from './command-line.ts';
import { commands } from './commands.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function turnwatch(...args: string[]): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await runCommandLine(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

test('--help names every command, on stdout, in each of its forms', async () => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    const { code, out, err } = await turnwatch(...args);
    expect([code, err]).toEqual([0, '']);
    for (const { name, summary } of commands)
      expect(out).toMatch(new RegExp(`^  ${name} +${summary.slice(0, 10)}`, 'm'));
  }
});

test.each(commands.map((command) => [command.name, command] as const))(
  '%s --help names every flag of it',
  async (name, command) => {
    const { code, out } = await turnwatch(name, '--help');
    expect(code).toBe(0);
    for (const flag of Object.keys(command.flags)) expect(out).toContain(`--${flag}`);
    expect(await turnwatch('help', name)).toMatchObject({ code: 0, out });
  },
);

test('--version is the version of the package', async () => {
  expect(await turnwatch('--version')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

test.each<[string[], string]>([
  [[], 'usage: turnwatch'],
  [['serv'], 'turnwatch: unknown command "serv"; did you mean serve?\nSee: turnwatch --help\n'],
  [
    ['kubernetes'],
    `turnwatch: unknown command "kubernetes"; commands are ${commands.map(({ name }) => name).join(', ')}\n`,
  ],
  [['--json'], 'turnwatch: unknown flag "--json"'],
  [['help', 'serv'], 'did you mean serve?'],
  [
    ['serve', '--prot', '1'],
    'turnwatch: unknown flag --prot; did you mean --port?\nSee: turnwatch serve --help\n',
  ],
  [['serve', 'extra'], 'turnwatch: serve takes flags only, not "extra"'],
  [['serve', '--store', 'memory', '--db', 'a.db'], 'leave out one of --store and --db'],
  [['replay'], 'turnwatch: replay needs at least one file'],
  [['replay', '--phase', '1000', 'a.json'], '--phase must be a number from 0 to 999'],
])('%j is wrong usage: exit code 2, nothing on stdout', async (args, message) => {
  const { code, out, err } = await turnwatch(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

test('a command for which exit code 2 means something else has another for wrong usage', async () => {
  expect(await turnwatch('wait', '--turn', 't', '--json=1')).toMatchObject({ code: 1, out: '' });
  expect(await turnwatch('wait')).toMatchObject({
    code: 1,
    err: expect.stringContaining('See: turnwatch wait --help'),
  });
});

test('a failure is exit code 1 with its message and no stack', async () => {
  const { code, out, err } = await turnwatch('serve', '--config', '/nowhere/turnwatch.yaml');
  expect([code, out]).toEqual([1, '']);
  expect(err).toBe(
    'turnwatch serve: /nowhere/turnwatch.yaml: there is no such file; give the path of a YAML or JSON file\n',
  );
});
