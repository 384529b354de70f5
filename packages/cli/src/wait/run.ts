import { setTimeout as sleep } from 'node:timers/promises';
import { quoted } from '@turnwatch/webhook/sinks';
import type { Run } from '../command.ts';
import { detectorUrl } from '../detector-url.ts';
import type { Flags } from '../flags.ts';
import { UsageError } from '../usage-error.ts';
import { waitExit, type waitFlags, waitTypes } from './command.ts';
import { DetectorClient } from './detector-client.ts';
import type { Target } from './target.ts';
import { ToldInFolder, ToldInMemory } from './told-before.ts';
import { type WatchResult, watch } from './watch.ts';

type WaitFlags = Flags<typeof waitFlags>;

const defaultPatienceS = 300;
/** The feed tells of verdicts at once; only ends are found by looking. */
const checkTurnMs = 5000;
const checkParentMs = 15_000;

/** Waits for a verdict. Prints nothing before its end: all of stderr is shown to the agent that it wakes. */
export const runWait: Run<typeof waitFlags> = async (flags, _operands, output) => {
  const target = targetOf(flags);
  const client = new DetectorClient(
    detectorUrl(flags.detector, process.env),
    flags.token ?? (process.env.TURNWATCH_API_TOKEN || undefined),
    target,
  );
  const result = await watch({
    client,
    clock: { nowMs: () => performance.now(), sleep },
    random: Math.random,
    told: flags.remember === undefined ? new ToldInMemory() : new ToldInFolder(flags.remember, target),
    types: typesOf(flags.types),
    ...(flags.after === undefined ? {} : { after: flags.after }),
    timeoutMs: flags.timeout === undefined ? Number.POSITIVE_INFINITY : flags.timeout * 1000,
    patienceMs: (flags.patience ?? defaultPatienceS) * 1000,
    checkEveryMs: target.kind === 'turn' ? checkTurnMs : checkParentMs,
    openedOnly: target.kind === 'parent',
  });
  if (flags.json === true) output.out(`${JSON.stringify(lineOf(result, target))}\n`);
  return tell(result, target, (text) => output.err(`${text}\n`));
};

function tell(result: WatchResult, target: Target, say: (text: string) => void): number {
  switch (result.kind) {
    case 'verdict':
      say(result.finding.message);
      return waitExit.verdict;
    case 'ended':
      return result.well ? waitExit.ended : waitExit.endedOtherwise;
    case 'timeout':
      say(
        `turnwatch wait: timed out, no verdict on ${target.kind} ${quoted(target.id)}` +
          `${result.trouble === undefined ? '' : `; ${result.trouble}`}`,
      );
      return waitExit.nothing;
    case 'superseded':
      return waitExit.nothing;
  }
}

/** The answer for programs. */
function lineOf(result: WatchResult, target: Target): object {
  const { cursor = null } = result;
  const about = { kind: result.kind, target: { [target.kind]: target.id } };
  switch (result.kind) {
    case 'verdict': {
      const { type, turn, message, document } = result.finding;
      return { ...about, type, turn, message, document, cursor };
    }
    case 'ended':
      return {
        ...about,
        well: result.well,
        turns: result.turns.map(({ id, state, outcome }) => ({ id, state, outcome })),
        cursor,
      };
    case 'timeout':
      return { ...about, trouble: result.trouble ?? null, cursor };
    case 'superseded':
      return { ...about, cursor };
  }
}

function targetOf({ turn, parent }: WaitFlags): Target {
  if (turn !== undefined && parent !== undefined)
    throw new UsageError('leave out one of --turn and --parent: a turn is named by its id alone');
  const id = turn ?? parent;
  if (id === undefined) throw new UsageError('wait needs --turn ID or --parent ID');
  if (id.length > 128) throw new UsageError('an id has at most 128 characters');
  return { kind: turn === undefined ? 'parent' : 'turn', id };
}

function typesOf(given: readonly string[] = ['turn.stale', 'turn.expired']): readonly string[] {
  const types = given.flatMap((text) => text.split(',')).map((text) => text.trim());
  for (const type of types)
    if (!waitTypes.some((known) => known === type))
      throw new UsageError(`--types: ${JSON.stringify(type)} is not one of ${waitTypes.join(', ')}`);
  return types;
}
