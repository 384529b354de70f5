import { once } from 'node:events';
import { argumentsOf } from '../script/arguments.ts';
import { exitOnSignals } from '../script/at-exit.ts';
import { aiSdk } from './ai-sdk.ts';
import { bystanders } from './bystanders.ts';
import { type Case, cases } from './case.ts';
import { claudeCode } from './claude-code.ts';
import { type Client, type Way, ways } from './client.ts';
import { codex } from './codex.ts';
import { codexApp } from './codex-app.ts';
import { geminiCli } from './gemini-cli.ts';
import { installed, NotInstalledError } from './install.ts';
import { opencode } from './opencode.ts';
import { qwenCode } from './qwen-code.ts';
import { type CaseResult, runCase } from './run-case.ts';
import { Stage } from './stage.ts';

const clients: readonly Client[] = [codex, codexApp, geminiCli, aiSdk, claudeCode, opencode, qwenCode];

const help = `npm run clients -- [CLIENT]... [flags]

Real clients from npm, each before a scripted model, a real detector and a real tap: what is said of them while they
are well, and when they have stopped. A minute or two for each.

  CLIENT        ${clients.map(({ name }) => name).join(', ')}; without any: all of them
  --only CASE   ${cases.map(({ name }) => name).join(', ')}; may be given more than once
  --way WAY     ${ways.join(', ')}
  --jobs N      cases at a time, default 10; they mostly wait
  --json        a JSON object a case
  --look        one client: prints the address of its detector's live page, and leaves all as it is until Ctrl-C
  --port N      of that detector, default any that is free
  --help

Clients are installed once, under node_modules/.cache/turnwatch/clients. Exit code 1: something was not as it should be;
3: a client could not be installed.
`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const progress = (text: string): void => void process.stderr.write(`${text}\n`);

interface Job {
  readonly way: Way;
  readonly which: Case;
}

exitOnSignals();
try {
  process.exitCode = await main();
} catch (error) {
  progress(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof NotInstalledError ? 3 : 1;
}

async function main(): Promise<number> {
  const { values, positionals } = argumentsOf('clients', help, {
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true },
      way: { type: 'string', multiple: true },
      jobs: { type: 'string', default: '10' },
      json: { type: 'boolean', default: false },
      look: { type: 'boolean', default: false },
      port: { type: 'string', default: '0' },
    },
  });
  known(
    'client',
    positionals,
    clients.map(({ name }) => name),
  );
  known(
    'case',
    values.only,
    cases.map(({ name }) => name),
  );
  known('way', values.way, ways);
  const jobs = Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs takes a whole number from 1 on');
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error('--port takes a number from 1 to 65535');
  if (values.look && positionals.length !== 1)
    throw new Error(`--look goes with one client: npm run clients -- ${positionals[0] ?? 'codex'} --look`);
  const plan = new Map<Client, readonly Job[]>();
  for (const client of clients) {
    if (positionals.length > 0 && !positionals.includes(client.name)) continue;
    // The longest first, in every way.
    const wanted: readonly Job[] = cases
      .filter(
        ({ name }) => (values.only?.includes(name) ?? true) && client.leavesOut?.includes(name) !== true,
      )
      .flatMap((which) =>
        ways
          .filter((way) => values.way?.includes(way) ?? true)
          .filter((way) => {
            const sight = client.sight[way];
            return sight !== undefined && (which.fits?.(client, sight) ?? true);
          })
          .map((way): Job => ({ way, which })),
      );
    if (wanted.length > 0) plan.set(client, wanted);
    else if (positionals.length > 0)
      throw new Error(
        `nothing of that can be tried with ${client.name}: it is seen by ${ways.filter((way) => client.sight[way] !== undefined).join(', ')}, and not every case fits every client and way`,
      );
  }
  if (plan.size === 0) throw new Error('nothing of that can be tried with any client');
  const results: CaseResult[] = [];
  for (const [client, wanted] of plan)
    results.push(
      ...(await runClient(client, wanted, { jobs, port, looks: values.look }, (result) =>
        print(values.json ? JSON.stringify(result) : lineOf(result)),
      )),
    );
  const faulty = results.filter(({ faults }) => faults.length > 0).length;
  if (!values.json)
    print(`${results.length} cases, ${faulty === 0 ? 'all as they should be' : `${faulty} FAILED`}`);
  return faulty === 0 ? 0 : 1;
}

function known(what: string, given: readonly string[] | undefined, names: readonly string[]): void {
  const strange = given?.find((name) => !names.includes(name));
  if (strange !== undefined)
    throw new Error(`there is no ${what} "${strange}"; there are ${names.join(', ')}`);
}

async function runClient(
  client: Client,
  wanted: readonly Job[],
  { jobs, port, looks }: { readonly jobs: number; readonly port: number; readonly looks: boolean },
  tell: (result: CaseResult) => void,
): Promise<readonly CaseResult[]> {
  const folder = await installed(client, progress);
  const stage = await Stage.set(client, port);
  const stopped = looks ? untilStopped() : undefined;
  if (looks) progress(`look at ${stage.detector}/`);
  const stop = wanted.some(({ way }) => way === 'register') ? bystanders(client, folder, stage) : undefined;
  const left = [...wanted];
  const results: CaseResult[] = [];
  const work = async (): Promise<void> => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      const result = await runCase(client, job.way, job.which, folder, stage, looks);
      results.push(result);
      tell(result);
    }
  };
  try {
    const done = Promise.all(Array.from({ length: jobs }, work));
    await (stopped === undefined ? done : Promise.race([done, stopped]));
    if (stopped !== undefined) {
      progress('it stays as it is until Ctrl-C');
      await stopped;
    }
  } finally {
    left.length = 0;
    await stop?.();
    await stage.strike();
  }
  return results;
}

/** Also in the middle of a case: nothing is to be left behind. */
async function untilStopped(): Promise<void> {
  const ears = new AbortController();
  const { signal } = ears;
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })]);
  ears.abort();
}

function lineOf({ client, version, way, case: name, seen, expected, faults, output }: CaseResult): string {
  const line = [
    `${client} ${version}`.padEnd(16),
    way.padEnd(10),
    name.padEnd(10),
    faults.length === 0 ? 'ok    ' : 'FAILED',
    `${seen}; right: ${expected}`,
  ].join(' ');
  const more = faults.map((fault) => `\n        ${fault}`).join('');
  return faults.length === 0 ? line : `${line}${more}\n${output.replace(/^/gm, '        | ')}`;
}
