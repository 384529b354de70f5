import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inOrder } from '@turnwatch/testing/provider';
import { Child } from '../llama/children.ts';
import type { Case } from './case.ts';
import type { Client, Flag, Launch, Quiet, Sight, Way } from './client.ts';
import { type Judgement, judgeQuiet, judgeStopped } from './judge.ts';
import { longestMs } from './policy.ts';
import type { Stage, Told } from './stage.ts';
import { windowOf } from './window.ts';

export interface CaseResult extends Judgement {
  readonly client: string;
  readonly version: string;
  readonly way: Way;
  readonly case: string;
  /** The end of what the client has printed. */
  readonly output: string;
}

/** From when on a client hangs that should end, and a verdict does not come that should. */
const patienceMs = 90_000;
/** How long is looked on after a verdict, which is to be told once. */
const afterVerdictMs = 8000;

/**
 * One client, seen in one way, through one case.
 * @param leaves whether it is left running, as it is in the end
 */
export async function runCase(
  client: Client,
  way: Way,
  which: Case,
  installed: string,
  stage: Stage,
  leaves = false,
): Promise<CaseResult> {
  const sight = client.sight[way];
  if (sight === undefined) throw new Error(`${client.name} is not seen by ${way}`);
  const model = `${client.name}-${way}-${which.name}`;
  const next = inOrder(...which.answers(client, sight));
  const { subAgent = [] } = which;
  stage.play(model, (request) => (client.subAgent?.isIts(request) === true ? subAgent : next()));
  const home = join(stage.scratch, model);
  mkdirSync(home);
  const tap = which.attended === true ? stage.attendedTap : stage.tap;
  const api = way === 'tap' ? tap : stage.provider;
  const children: Child[] = [];
  const start = (resumes: boolean): Child => {
    const setting = { way, installed, home, api, detector: stage.detector, model, resumes };
    const child = launched(client.launch(setting), home);
    children.push(child);
    return child;
  };
  const clear = async (): Promise<void> => {
    for (const child of children) kill(child);
    for (const child of children) await child.ended;
  };
  // At once: it may be stopped in the middle.
  if (leaves) stage.leave(clear);
  try {
    const child = start(false);
    const faults: string[] = [];
    if (which.signal !== undefined) faults.push(...(await signalFaults(child, which.signal, model, stage)));
    if (which.exits !== undefined) faults.push(...(await exitFaults(child, which.exits)));
    if (which.resumes === true) faults.push(...(await exitFaults(start(true), 'well')));
    const giveUp = async (): Promise<void> => {
      kill(child, 'SIGINT');
      faults.push(...(await exitFaults(child, 'in error')));
    };
    const judgement = await judged(client, which, sight, model, stage, giveUp);
    return {
      ...{ client: client.name, version: client.version, way, case: which.name },
      ...judgement,
      faults: [...faults, ...judgement.faults],
      output: children.map(({ output }) => output.slice(-2000)).join(''),
    };
  } finally {
    if (!leaves) await clear();
  }
}

/** The client at work. */
export function launched({ file, args, environment }: Launch, home: string): Child {
  const { PATH, LANG, TMPDIR } = process.env;
  return new Child(file, args, {
    cwd: home,
    // A group of its own: it is killed with what it has started.
    detached: true,
    env: { PATH, LANG, TMPDIR, HOME: home, ...environment },
  });
}

async function signalFaults(
  child: Child,
  { name, atChunk, thenMs = 0 }: NonNullable<Case['signal']>,
  model: string,
  { moments }: Stage,
): Promise<readonly string[]> {
  const late = sleep(patienceMs, undefined, { ref: false });
  await Promise.race([moments.until(model, 'chunk', atChunk), child.ended, late]);
  await sleep(thenMs);
  if (hasEnded(child)) return ['the client ended before its signal'];
  const sent = moments.of(model, 'chunk').length;
  if (sent < atChunk) return [`the client was sent ${sent} chunks, not ${atChunk}`];
  moments.add(model, 'signal');
  kill(child, name);
  return [];
}

async function judged(
  client: Client,
  which: Case,
  sight: Sight,
  model: string,
  stage: Stage,
  giveUp: () => Promise<void>,
): Promise<Judgement> {
  const said = which.said?.(sight) ?? sight.end;
  const conversation = client.conversation?.(model);
  const isIts = (seen: Pick<Told, 'model' | 'conversationId'>): boolean =>
    seen.model === model || (conversation !== undefined && seen.conversationId === conversation);
  const isStale = (told: Told): boolean => told.type === 'turn.stale' && isIts(told);
  if (!isFlag(said)) {
    // The clock runs on, past any threshold: what is over is not silent.
    await stage.hears(isStale, longestMs + 2 * sight.heldBackMs + 4000);
  } else {
    await stage.hears(isStale, patienceMs);
    if (which.givenUp === true) await giveUp();
    await sleep(afterVerdictMs);
  }
  const told = stage.told.filter(isIts);
  const turns = await stage.turns(isIts);
  if (!isFlag(said)) return judgeQuiet(said, told, turns, sight);
  const isCancelled = turns.every(({ outcome }) => outcome === 'cancelled') && !told.some(isStale);
  if (said.orCancelled === true && isCancelled) return judgeQuiet('cancelled', told, turns, sight);
  const window = windowOf(said, sight, stage.moments, model, told.find(isStale));
  const judgement = judgeStopped(said, sight, told, turns, window);
  if (which.givenUp !== true) return judgement;
  const { faults } = judgeQuiet('cancelled', [], turns, sight);
  return {
    ...judgement,
    expected: `${judgement.expected}, then cancelled`,
    faults: [...judgement.faults, ...faults],
  };
}

async function exitFaults(child: Child, wanted: NonNullable<Case['exits']>): Promise<readonly string[]> {
  const late = sleep(patienceMs, 'late', { ref: false });
  if ((await Promise.race([child.ended, late])) === 'late') return ['the client did not end'];
  const { exitCode, signalCode } = child.process;
  // By a signal no client ends that handles it.
  const isRight = exitCode !== null && (wanted === 'anyhow' || (exitCode === 0) === (wanted === 'well'));
  return isRight ? [] : [`the client ended with ${signalCode ?? exitCode}, which is not ${wanted}`];
}

function isFlag(said: Flag | Quiet | readonly Quiet[]): said is Flag {
  return typeof said === 'object' && 'phase' in said;
}

function hasEnded({ process: { exitCode, signalCode } }: Child): boolean {
  return exitCode !== null || signalCode !== null;
}

/** It and all that it has started. */
export function kill(child: Child, signal: NodeJS.Signals = 'SIGKILL'): void {
  const { pid } = child.process;
  if (pid !== undefined && !hasEnded(child)) process.kill(-pid, signal);
}
