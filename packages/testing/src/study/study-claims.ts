import { quantile, upperBound95 } from './bounds.ts';
import type { StudyResult } from './study-plan.ts';
import { number, rate } from './study-report.ts';
import type { Tally } from './tally.ts';

/** What the rules promise, held against what came out. */
export interface Claim {
  readonly promise: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** Models whose gaps have thin tails: there statistics alone must do. */
const thinTailed = ['S1', 'S2c', 'S3b', 'S9n'];

function strictOf(result: StudyResult, id: string): Tally | undefined {
  return result.gaps.get(id)?.find(({ rule }) => rule === 'strict');
}

function none(promise: string, flagged: number, turns: number): Claim {
  const bound = rate(upperBound95(flagged, turns));
  return {
    promise,
    measured: `${number(flagged)} in ${number(turns)}, below ${bound}`,
    holds: flagged === 0,
  };
}

/** Only what the run has the scenarios for. */
export function claimsOf(result: StudyResult): Claim[] {
  const claims: Claim[] = [];
  for (const [id, what] of [
    ['S2c', 'text phase'],
    ['S3b', 'engine with progress'],
  ] as const) {
    const strict = strictOf(result, id);
    if (strict !== undefined)
      claims.push(none(`strict, ${what}: no false flag`, strict.flagged, strict.turns));
  }
  for (const id of thinTailed) {
    const strict = strictOf(result, id);
    const turns = strict?.turnsBy['1,000+'] ?? 0;
    if (strict === undefined || turns === 0) continue;
    const count = strict.flaggedBy['1,000+'];
    claims.push({
      promise: `strict, warm thin tail (${id}, n > 1,000): under 1e-5`,
      measured: `${number(count)} in ${number(turns)} (${rate(count / turns)}), below ${rate(upperBound95(count, turns))}`,
      holds: count / turns < 1e-5,
    });
  }
  const observed = result.observation.find(({ rule }) => rule === 'strict');
  if (observed !== undefined)
    claims.push(
      none(
        'strict, late and lost batches, sleeping hosts, a pausing detector: no false flag',
        observed.flagged,
        observed.turns,
      ),
      {
        promise: 'and every stop and every death is found',
        measured: `${number(observed.delaysMs.length)} of ${number(observed.stops)}, ${number(observed.deathDelaysMs.length)} of ${number(observed.deaths)}`,
        holds:
          observed.delaysMs.length === observed.stops && observed.deathDelaysMs.length === observed.deaths,
      },
    );
  const beyond = [...result.gaps.keys()].flatMap((id) => strictOf(result, id)?.beyondMs ?? []);
  if (beyond.length > 0) {
    const [p50 = 0, p99 = 0] = [quantile(beyond, 0.5), quantile(beyond, 0.99)];
    claims.push({
      promise: 'silent stops are found within 1 s of T + C at p50',
      measured: `${(p50 / 1000).toFixed(2)} s at p50, ${(p99 / 1000).toFixed(2)} s at p99, of ${number(beyond.length)}`,
      holds: p50 <= 1000,
    });
  }
  return claims;
}
