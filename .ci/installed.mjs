// Uses the packages as a user gets them: packed, installed in an empty folder, without the sources' export condition.
//   node installed.mjs install <scratch>   installs <scratch>/packed/*.tgz in <scratch>/user
//   node installed.mjs use <scratch>       imports and requires every entry point on the Node that runs this
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './preflight.mjs';

const [command, scratch = ''] = process.argv.slice(2);
const user = join(scratch, 'user');
const manifests = readdirSync(join(root, 'packages')).map((name) =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')),
);

// Sending is the detector's part of the webhook package: undici needs a newer Node than agents do.
const detectorOnly = ['@turnwatch/webhook/send'];

function run(file, args) {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd: user,
    encoding: 'utf8',
    timeout: 120_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32' && file === 'npm',
  });
  return { ok: status === 0, output: error ? String(error) : `${stdout}${stderr}` };
}

function install() {
  mkdirSync(user);
  const packed = join(scratch, 'packed');
  const tarballs = readdirSync(packed).map((name) => join(packed, name));
  // Optional peers are the user's choice; take those that the package itself is tested with.
  const peers = manifests.flatMap(({ peerDependenciesMeta = {}, devDependencies = {} }) =>
    Object.keys(peerDependenciesMeta)
      .filter((name) => devDependencies[name] !== undefined)
      .map((name) => `${name}@${devDependencies[name]}`),
  );
  writeFileSync(join(user, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  const { ok, output } = run('npm', [
    ...['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'],
    ...tarballs,
    ...peers,
  ]);
  console.log(output);
  return ok;
}

/** Lowest major version that `>=20` or `>=22.15` admits. */
const lowestMajor = (engines) => Number(/>=\s*(\d+)/.exec(engines?.node ?? '')?.[1] ?? Number.NaN);

function trials() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const canRequire = major > 22 || (major === 22 && minor >= 12);
  return manifests.flatMap(({ name, engines, exports = {}, bin = {} }) => {
    if (!(lowestMajor(engines) <= major)) return [];
    const bins = Object.values(bin);
    return Object.entries(exports).flatMap(([key, entry]) => {
      const specifier = key === '.' ? name : `${name}/${key.replace(/^\.\//, '')}`;
      if (typeof entry === 'string') return [];
      if (major < 22 && detectorOnly.includes(specifier)) return [];
      // A command starts when it is imported, so it is started as one.
      if (bins.includes(entry.default))
        return [[`${specifier} --help`, [join('node_modules', name, entry.default), '--help']]];
      const imported = `await import(${JSON.stringify(specifier)}); process.exit(0);`;
      const required = `require(${JSON.stringify(specifier)}); process.exit(0);`;
      // What is made for --import may wait for what it starts, and is never required.
      const forImport = key === './register';
      return [
        [`import ${specifier}`, ['--input-type=module', '--eval', imported]],
        ...(canRequire && !forImport
          ? [[`require ${specifier}`, ['--input-type=commonjs', '--eval', required]]]
          : []),
      ];
    });
  });
}

function use() {
  const results = trials().map(([name, args]) => ({ name, ...run(process.execPath, args) }));
  for (const { name, ok, output } of results)
    console.log(`${ok ? 'ok' : 'FAILED'} ${name}${ok ? '' : `\n${output}`}`);
  return results.length > 0 && results.every(({ ok }) => ok);
}

const commands = { install, use };
if (!Object.hasOwn(commands, command)) throw new Error(`installed.mjs knows install and use, not ${command}`);
process.exit(commands[command]() ? 0 : 1);
