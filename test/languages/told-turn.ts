import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../llama/children.ts';
import { endsWithUs } from '../script/ends-with-us.ts';
import { scratchFolder } from '../script/scratch-folder.ts';

export interface ToldTurn {
  readonly state: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly chunks: number;
  readonly parentId: string | null;
  readonly precision: string;
}

/** A detector that finds a turn stale that has said nothing for a second. */
export async function withHastyDetector(work: (detector: string) => Promise<void>): Promise<void> {
  const [scratch, removeScratch] = scratchFolder('turnwatch-languages-');
  const config = join(scratch, 'turnwatch.yaml');
  writeFileSync(
    config,
    'detector: { policy: { preset: measured, defaultThresholdMs: { first_token: 1000, text: 1000 }, floorMs: 0, confirmRatio: 0 } }\n',
  );
  const detector = Child.turnwatch('serve', '--config', config, '--port', '0', '--store', 'memory');
  try {
    const [, url = ''] = await detector.prints(/watch\s+(http:\/\/\S+?)\/ /);
    await work(url);
  } finally {
    await detector.end();
    removeScratch();
  }
}

/** Runs a program that tells of a turn to its end. @returns the turn as the detector has it then */
export async function toldToItsEnd(
  detector: string,
  file: string,
  args: readonly string[],
): Promise<ToldTurn> {
  const child = start(detector, file, args, { TURN_ID: 'healthy', PAUSE: '0.1' });
  await once(child, 'close');
  return turnOf(detector, 'healthy');
}

/** The same, but it stops after its first word. @returns the turn when it is stale, or after 15 s as it is then */
export async function toldAndStalled(
  detector: string,
  file: string,
  args: readonly string[],
): Promise<ToldTurn> {
  const child = start(detector, file, args, { TURN_ID: 'stalled', PAUSE: '60' });
  try {
    for (let look = 0; look < 60; look++) {
      await sleep(250);
      const turn = await turnOf(detector, 'stalled').catch(() => undefined);
      if (turn?.state === 'stale') return turn;
    }
    return await turnOf(detector, 'stalled');
  } finally {
    // With whatever it waits for.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }
}

function start(
  detector: string,
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): ReturnType<typeof spawn> {
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      TURNWATCH_ENDPOINT: detector,
      TURNWATCH_API_TOKEN: '',
      PARENT_ID: 'planner',
      ...environment,
    },
  });
  return endsWithUs(child, true);
}

async function turnOf(detector: string, id: string): Promise<ToldTurn> {
  const answer = await fetch(`${detector}/v1/turns/${id}`);
  if (answer.status !== 200)
    throw new Error(`the detector answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as ToldTurn;
}
