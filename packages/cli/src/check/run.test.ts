import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwatch-check-'));
afterAll(() => rmSync(folder, { recursive: true }));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

async function check(text: string, ...flags: string[]): Promise<{ code: number; out: string; err: string }> {
  const file = join(folder, 'turnwatch.yaml');
  writeFileSync(file, text);
  const said = { out: '', err: '' };
  const code = await runCommandLine(['check', '--config', file, ...flags], {
    out: (more) => {
      said.out += more;
    },
    err: (more) => {
      said.err += more;
    },
  });
  return { code, out: said.out.replaceAll(file, 'FILE'), err: said.err.replaceAll(file, 'FILE') };
}

test('prints each value with where it comes from, and no secret', async () => {
  vi.stubEnv('TURNWATCH_SOURCE', 'eu-1');
  vi.stubEnv('PLANNER', secret);
  const { code, out } = await check(
    `detector:
      listen: { port: 5000 }
      endpoints: [{ id: planner, url: "http://127.0.0.1:1/?key=hush", secretEnv: PLANNER }]`,
    '--host',
    '::1',
  );
  vi.unstubAllEnvs();
  expect(code).toBe(0);
  const lines = out.split('\n').map((line) => line.replace(/ +# /, ' # '));
  expect(lines).toContain('detector.listen.port: 5000 # FILE');
  expect(lines).toContain('detector.listen.host: "::1" # flags');
  expect(lines).toContain('detector.source: "eu-1" # TURNWATCH_SOURCE');
  expect(lines).toContain('detector.log.level: "info" # default');
  expect(lines).toContain('detector.endpoints.planner.secrets: (secret) # FILE');
  expect(lines).toContain('detector.endpoints.planner.url: "http://127.0.0.1:1/?[…]" # FILE');
  expect(out).not.toContain('whsec_');
});

test('a mistake is exit code 1 and starts nothing; with --json the problems are data', async () => {
  const text = 'detector: { policy: { confrimRatio: 1 }, listen: { port: x } }';
  const plain = await check(text);
  expect(plain.code).toBe(1);
  expect(plain.err).toContain('FILE: detector.policy.confrimRatio: unknown key; did you mean confirmRatio?');
  const { code, out } = await check(text, '--json');
  expect(code).toBe(1);
  const { ok, problems } = JSON.parse(out) as { ok: boolean; problems: { path: string }[] };
  expect(ok).toBe(false);
  expect(problems.map(({ path }) => path).sort()).toEqual([
    'detector.listen.port',
    'detector.policy.confrimRatio',
  ]);
});

test('everything that is wrong is told at once, with the plugins that do not load', async () => {
  const { code, out } = await check(
    `detector:
      policy: { margin: 0.5, minSamples: none }
      endpoints: [{ id: a, url: "http://user:hush@127.0.0.1/", secret: ${secret}, types: [nonsense] }]
      plugins: [{ plugin: ./nope.mjs, timeoutMs: 1 }, { plugin: log, options: { colour: red } }]`,
    '--json',
  );
  expect(code).toBe(1);
  const { problems } = JSON.parse(out) as { problems: { path: string }[] };
  expect(problems.map(({ path }) => path).sort()).toEqual([
    'detector.endpoints[0]',
    'detector.endpoints[0].types[0]',
    'detector.plugins[0].plugin',
    'detector.plugins[0].timeoutMs',
    'detector.plugins[1].options',
    'detector.policy.margin',
    'detector.policy.minSamples',
  ]);
  expect(out).not.toContain('hush');
});

test('a plugin that serve would refuse is a mistake; one that it would take is let go of', async () => {
  const { code, err } = await check('detector: { plugins: [{ plugin: ./nope.mjs }] }');
  expect(code).toBe(1);
  expect(err).toContain('detector.plugins[0].plugin: there is no ');
  expect(await check('detector: { plugins: [{ plugin: log }] }')).toMatchObject({ code: 0, err: '' });
});
