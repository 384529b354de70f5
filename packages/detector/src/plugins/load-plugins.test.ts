import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../config/problem.ts';
import type { Logger } from '../logger.ts';
import { pluginFiles, sinkSource } from '../testing/plugin-files.ts';
import { type LoadedDetector, loadDetector } from './load-plugins.ts';

const opened: LoadedDetector[] = [];
afterEach(async () => {
  for (const { plugins } of opened.splice(0)) await plugins.stop();
});

const good = sinkSource('');
async function load(
  config: string,
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<LoadedDetector> {
  const folder = pluginFiles({ ...files, 'conf/turnwatch.yaml': config }, onTestFinished);
  const loaded = await loadDetector({ file: join(folder, 'conf/turnwatch.yaml'), environment });
  opened.push(loaded);
  return loaded;
}

/** Its problems without the file's name, one a line. */
async function refused(...given: Parameters<typeof load>): Promise<readonly string[]> {
  try {
    await load(...given);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
  throw new Error('it was taken');
}

const plugins = (...entries: string[]): string =>
  `detector:\n  mappers: false\n  plugins:\n${entries.map((entry) => `    - ${entry}\n`).join('')}`;

describe('what is found', () => {
  test('a file by a path from the folder of the configuration', async () => {
    const loaded = await load(plugins('{ plugin: ./sinks/a.js, id: mine }'), { 'conf/sinks/a.js': good });
    expect(loaded.plugins.all.map(({ id, kind }) => [id, kind])).toEqual([['mine', 'sink']]);
  });

  test('a folder by what its package.json exports for import', async () => {
    const manifest = JSON.stringify({ exports: { '.': { types: './x.d.ts', import: './lib/a.mjs' } } });
    const loaded = await load(plugins('plugin: ../sink'), {
      'sink/package.json': manifest,
      'sink/lib/a.mjs': good,
    });
    expect(loaded.plugins.all[0]?.id).toBe('scripted');
  });

  test('a package beside the configuration, also one for import only, and a subpath of it', async () => {
    const manifest = JSON.stringify({
      name: '@acme/sinks',
      exports: { '.': { import: './a.mjs' }, './b': './b.mjs' },
    });
    const loaded = await load(plugins("plugin: '@acme/sinks'", "plugin: '@acme/sinks/b'"), {
      'node_modules/@acme/sinks/package.json': manifest,
      'node_modules/@acme/sinks/a.mjs': sinkSource('', 'one'),
      'node_modules/@acme/sinks/b.mjs': sinkSource('', 'two'),
    });
    expect(loaded.plugins.all.map(({ id }) => id)).toEqual(['one', 'two']);
  });

  test('TypeScript, and a CommonJS module', async () => {
    const loaded = await load(plugins('plugin: ./a.ts', 'plugin: ./b.cjs'), {
      'conf/a.ts': good.replace("kind: 'sink'", "kind: 'sink' as const"),
      'conf/b.cjs': sinkSource('', 'common').replace('export const plugin =', 'exports.plugin ='),
    });
    expect(loaded.plugins.all.map(({ id }) => id)).toEqual(['scripted', 'common']);
  });

  test('built-in ones by name', async () => {
    const loaded = await load(plugins('plugin: log', '{ plugin: log, id: loud, options: { level: error } }'));
    expect(loaded.plugins.all.map(({ id }) => id)).toEqual(['log', 'loud']);
  });
});

describe('what is refused says how to mend it', () => {
  test('a package that is not installed', async () => {
    const [problem] = await refused(plugins('plugin: turnwatch-nowhere'));
    expect(problem).toMatch(
      /^detector\.plugins\[0\]\.plugin: there is no package turnwatch-nowhere to be found from .*conf; install it there: npm install turnwatch-nowhere$/,
    );
  });

  test('a path without its dot', async () => {
    const [problem] = await refused(plugins('plugin: sink.js'), { 'conf/sink.js': good });
    expect(problem).toContain('did you mean the path ./sink.js?');
  });

  test('a file that is not there, one that cannot be read as code, and one that exports no plugin', async () => {
    const problems = await refused(plugins('plugin: ./no.js', 'plugin: ./bad.js', 'plugin: ./other.js'), {
      'conf/bad.js': 'export const plugin = {;',
      'conf/other.js': 'export const sink = {};',
    });
    expect(problems[0]).toMatch(/there is no .*no\.js; paths begin at the folder of the configuration file/);
    expect(problems[1]).toMatch(/^detector\.plugins\[1\]\.plugin: \.\/bad\.js could not be loaded: /);
    expect(problems[2]).toContain('exports no plugin; its module needs: export const plugin = definePlugin(');
  });

  test.each([
    [
      'apiVersion: 1',
      'apiVersion: 2',
      'version 2 of the plugin interfaces, this detector has 1; update the detector',
    ],
    ['apiVersion: 1', 'apiVersion: 0', 'this detector has 1; update the plugin'],
    ['apiVersion: 1,', '', 'set apiVersion: 1 in definePlugin'],
    ["kind: 'sink'", "kind: 'drain'", 'kinds are mapper, probe, sink, store'],
    ["name: 'scripted'", "name: 'a b'", '1 to 64 letters'],
    ['create:', 'make:', 'no function "create"'],
    ['async deliver', 'async tell', 'is no sink: it lacks deliver (function)'],
    ['({ async', "(() => { throw new Error('no luck'); })() ?? ({ async", 'its create() threw: no luck'],
    ["kind: 'sink'", "kind: 'store'", 'is a store; name it as detector.store: { plugin: ./a.js }'],
    ["kind: 'sink',", "kind: 'sink', optionsSchema: {},", 'that is no Standard Schema'],
  ])('%s as %s', async (from, to, message) => {
    const [problem, ...more] = await refused(plugins('plugin: ./a.js'), {
      'conf/a.js': good.replace(from, to),
    });
    expect(problem).toContain(message);
    expect(more).toEqual([]);
  });

  test('everything at once, with the mistakes of the rest of the file', async () => {
    const problems = await refused(
      `${plugins(
        '{ plugin: log, options: { level: loud } }',
        '{ plugin: log, id: other, options: { levle: info } }',
        '{ plugin: webhook, options: { url: "https://example.com", secretEnv: NO_SUCH } }',
        '{ plugin: ./a.js, options: { x: 1 } }',
        '{ plugin: ./a.js, isolat: true }',
      )}  listen: { port: many }\n`,
      { 'conf/a.js': good },
    );
    expect(problems).toEqual([
      expect.stringMatching(/^detector\.listen\.port: must be a port number/),
      'detector.plugins[4].isolat: unknown key; did you mean isolate?',
      expect.stringMatching(/^detector\.plugins\[0\]\.options\.level: /),
      expect.stringMatching(/^detector\.plugins\[1\]\.options: .*levle/),
      'detector.plugins[2].options.secretEnv: the variable NO_SUCH is not set; set it to the secret',
      'detector.plugins[3].options.x: unknown option; this plugin takes none',
    ]);
  });

  test('two of one name, and one with the name of an endpoint', async () => {
    const endpoint = `  endpoints: [{ id: hook, url: "https://example.com/", secret: whsec_${'A'.repeat(43)}= }]\n`;
    const problems = await refused(
      plugins('plugin: log', 'plugin: log', '{ plugin: log, id: hook }') + endpoint,
    );
    expect(problems).toEqual([
      'detector.plugins[1].id: "log" is used twice among plugins and endpoints; give this one another id',
      'detector.plugins[2].id: "hook" is used twice among plugins and endpoints; give this one another id',
    ]);
  });

  test('a mapper that asks for prompts', async () => {
    const mapper = (attribute: string): string => `export const plugin = {
      apiVersion: 1, kind: 'mapper', name: 'spy',
      create: () => ({ selects: { logs: ['*'], attributes: ['${attribute}'] }, precision: 'coarse', exporterDelayMs: 0, map: () => [] }),
    };`;
    for (const attribute of [
      'gen_ai.input.messages',
      'llm.input_messages.0.message',
      'prompt',
      'input.value',
    ]) {
      const [problem] = await refused(plugins('plugin: ./a.js'), { 'conf/a.js': mapper(attribute) });
      expect(problem, attribute).toContain(`selects the attribute ${attribute}, which holds prompts`);
    }
    const fine = await load(plugins('plugin: ./a.js'), { 'conf/a.js': mapper('gen_ai.request.model') });
    expect(fine.plugins.all).toHaveLength(1);
  });
});

test('lines that a plugin writes while it is made go where the log goes later, without its secrets', async () => {
  const loaded = await load(
    plugins('{ plugin: ./a.js }'),
    {
      'conf/a.js': good.replace(
        '=> ({',
        "=> (host.logger.info({ key: 'x' + host.secret('KEY'), deep: { url: host.secret('KEY') } }, 'with ' + host.secret('KEY')), {",
      ),
    },
    { KEY: 'https://example.com/services/T00/B00/abcdef' },
  );
  const lines: unknown[] = [];
  const line = (fields: object, message: string): void => void lines.push([fields, message]);
  const logger: Logger = { debug: line, info: line, warn: line, error: line };
  loaded.plugins.logTo(logger);
  expect(lines).toEqual([
    [{ key: 'x[secret]', deep: { url: '[secret]' }, plugin: 'scripted' }, 'with [secret]'],
  ]);
});
