import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { configure, flush } from '@turnwatch/instrumentation';
import { freePorts } from '../collector/free-port.ts';
import { argumentsOf, misused, numberOf } from '../script/arguments.ts';
import { exitOnSignals } from '../script/at-exit.ts';
import { scratchFolder } from '../script/scratch-folder.ts';
import { Child } from './children.ts';
import { ownLook, pollRate } from './poll-rate.ts';
import { writeRandomModel } from './random-model.ts';
import { type ReadResult, readOnce, type Scene, seconds } from './read.ts';
import { ways } from './ways.ts';

const help = `npm run llama -- [flags]

A real llama-server reads a long prompt, and is watched in each way there is. Takes ten minutes and more.

  --server FILE        llama-server; default what get-llama-server.sh has unpacked, or unpacks now
  --way NAME           ${ways.map(({ name }) => name).join(', ')}; may be given more than once, default all
  --read SECONDS       how long a read is watched, default 65
  --prompt CHARACTERS  how long the prompt is, a token each, default 48000
  --no-poll-rate       leaves out how often one may look
  --help

Exit code 1: something was not as it should be.
`;

const { values } = argumentsOf('llama', help, {
  options: {
    server: { type: 'string' },
    way: { type: 'string', multiple: true },
    read: { type: 'string', default: '65' },
    prompt: { type: 'string', default: '48000' },
    'no-poll-rate': { type: 'boolean', default: false },
  },
});
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const strange = values.way?.find((name) => !ways.some((way) => way.name === name));
if (strange !== undefined)
  misused('llama', `there is no way "${strange}"; there are ${ways.map(({ name }) => name).join(', ')}`);
const readS = numberOf('llama', '--read', values.read, 1);
const promptTokens = numberOf('llama', '--prompt', values.prompt, 1);
exitOnSignals();
const [serverPort = 0, detectorPort = 0, tapPort = 0] = await freePorts(3);
const port = { server: serverPort, detector: detectorPort, tap: tapPort };
const at = (which: keyof typeof port): string => `http://127.0.0.1:${port[which]}`;

const server = values.server ?? (await unpacked());
if (server === undefined)
  print(
    'SKIPPED: there is no llama-server, and none could be fetched (Debian, root and its mirror are needed)',
  );
else await run(server);

async function unpacked(): Promise<string | undefined> {
  const dir = here('../../node_modules/.cache/turnwatch-llama');
  const file = join(dir, 'llama-server');
  if (existsSync(file)) return file;
  mkdirSync(dir, { recursive: true });
  print('fetching llama-server');
  const script = new Child('bash', [here('get-llama-server.sh'), dir], { detached: true });
  const error = await script.ended.then(
    () => undefined,
    (reason: Error) => reason,
  );
  if (script.process.exitCode === 0) return file;
  print(error?.message ?? script.output.trim().split('\n').slice(-5).join('\n'));
  return undefined;
}

async function run(file: string): Promise<void> {
  const [scratch, removeScratch] = scratchFolder('turnwatch-llama-');
  const children: Child[] = [];
  try {
    const faults = await inScratch(file, scratch, children);
    print(faults === 0 ? 'all as it should be' : `${faults} faults`);
    if (faults > 0) process.exitCode = 1;
  } finally {
    for (const child of children.reverse()) await child.end();
    removeScratch();
  }
}

async function inScratch(file: string, scratch: string, children: Child[]): Promise<number> {
  const model = join(scratch, 'random.gguf');
  writeRandomModel(model);
  const llama = new Child(file, [
    ...['--model', model, '--host', '127.0.0.1', '--port', String(port.server)],
    ...['--ctx-size', '65536', '--parallel', '1', '--threads', '1', '--batch-size', '512'],
    ...['--metrics', '--slots', '--cache-ram', '0'],
  ]);
  children.push(llama);
  await llama.prints(/listening on/);
  print(`llama-server listens; a prompt has ${promptTokens} tokens, a read is watched for ${readS} s`);

  const config = join(scratch, 'turnwatch.yaml');
  // The defaults of both presets at a tenth and less: a read of a minute is then what one of ten minutes is.
  writeFileSync(
    config,
    `detector: { policy: { defaultThresholdMs: { first_token: 10000, queued: 10000, agent: 600000 } } }\n`,
  );
  const detector = Child.turnwatch(
    ...[
      'serve',
      '--config',
      config,
      '--port',
      String(port.detector),
      '--store',
      'memory',
      '--log-level',
      'warn',
    ],
  );
  children.push(detector);
  await detector.prints(/turnwatch is up/);
  configure({ endpoint: at('detector'), serviceName: 'llama-test', spans: false });
  const tap = Child.turnwatch(
    ...['tap', '--upstream', at('server'), '--listen', `127.0.0.1:${port.tap}`, '--endpoint', at('detector')],
  );
  children.push(tap);
  await tap.prints(/turnwatch tap is up/);

  // Without blanks, each of which would be three of the model's tokens.
  const words = 'the-quick-brown-fox-jumps-over-the-lazy-dog-and-goes-on.';
  const prompt = words.repeat(Math.ceil(promptTokens / words.length)).slice(0, promptTokens);
  const scene: Scene = {
    detector: at('detector'),
    engine: at('server'),
    tap: at('tap'),
    server: llama,
    prompt,
    readMs: readS * 1000,
    print,
  };
  let faults = 0;
  print('way              read      longest silence  pings  flagged after stop   cancelled after  states');
  for (const way of ways) {
    if (values.way !== undefined && !values.way.includes(way.name)) continue;
    const engine = way.probe
      ? Child.turnwatch('engine', '--url', at('server'), '--endpoint', at('detector'))
      : undefined;
    if (engine !== undefined) {
      children.push(engine);
      await engine.prints(/is seen/);
    }
    const result = await readOnce(way, `llama-${way.name}-${process.pid}`, scene);
    await engine?.end();
    print(line(result));
    for (const fault of result.faults) print(`FAULT ${way.name}: ${fault}`);
    faults += result.faults.length;
  }
  await flush();
  return faults + (values['no-poll-rate'] ? 0 : await pollRates(prompt));
}

function line(result: ReadResult): string {
  return [
    result.way.padEnd(16),
    seconds(result.readMs).padEnd(9),
    seconds(result.longestSilenceMs).padEnd(16),
    String(result.pings).padEnd(6),
    `${seconds(result.flaggedAfterMs)} ${result.reason ?? ''}`.padEnd(20),
    seconds(result.cancelledAfterMs).padEnd(16),
    result.states.join(', '),
  ].join(' ');
}

/** Looking at it as we do costs it no ping and no notice of a client that left; looking eagerly would. */
async function pollRates(prompt: string): Promise<number> {
  const engine = at('server');
  const eager = async (): Promise<unknown> => (await fetch(`${engine}/slots`)).text();
  let faults = 0;
  for (const [name, everyMs, look, isOurs] of [
    ['nobody looks', 60_000, eager, true],
    ['our probe, asked every 0.3 s', 300, ownLook(engine), true],
    ['/slots every 0.4 s', 400, eager, false],
  ] as const) {
    const result = await pollRate(name, engine, prompt, everyMs, look);
    print(`${name.padEnd(30)} ${result.pings} pings in 14 s, cancelled: ${result.cancelled ? 'yes' : 'no'}`);
    if (isOurs && (result.pings < 4 || !result.cancelled)) {
      print(`FAULT ${name}: pings or cancellation were suppressed`);
      faults++;
    }
    // An eager look leaves a dead read behind.
    for (let tries = 0; tries < 60 && !(await isFree(engine)); tries++) await sleep(2500);
  }
  return faults;
}

async function isFree(engine: string): Promise<boolean> {
  const slots = (await (await fetch(`${engine}/slots`)).json()) as { readonly is_processing: boolean }[];
  return slots.every((slot) => !slot.is_processing);
}
