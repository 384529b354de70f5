import { claimsOf } from './study-claims.ts';
import type { StudyResult } from './study-plan.ts';
import { reportOf } from './study-report.ts';

/** The whole page, the same to the letter for the same command. */
export function documentOf(command: string, seed: number, result: StudyResult): string {
  const claims = claimsOf(result);
  return [
    '# The detection rule, measured',
    '',
    `Written by \`${command}\`; seed ${seed}. The same command writes the same page, to the letter.`,
    '',
    'Simulated turns go through the real core: reports as the SDK sends them, a heartbeat a second, baselines that the core',
    'teaches itself, from nothing. Every rule sees the same turns. `strict` is the default preset. The fixed time limits and',
    'phi-accrual (window 1,000, threshold 8, accepted pause 3 s) are small implementations for comparison; they take every',
    'sign of life for activity.',
    '',
    '- **False flag**: a verdict on a turn that would have gone on. Half of the flagged turns are killed, so that their gaps',
    '  are never seen whole; the others refute the verdict.',
    '- **Stop**: one more turn of a hundred stops for good, its process lives on. The delay counts from the last sign of',
    '  life to the verdict, over the whole life of a key: a new key waits for its default threshold.',
    '- **Beyond T + C**: how long after its own threshold and confirm window the verdict came.',
    '- **T_M**: how long a false verdict stood until the turn refuted it.',
    '- **Below, 95 %**: what the rate is below with that confidence, one-sided.',
    '',
    'The gap models are invented after what is known of real gaps: healthy chat pauses of up to 18 s, provider chunks 29 s',
    'apart, local prompt reads of 254 to 483 s. Keys of real providers may have heavier tails. What no sample can promise is',
    'in the table by warmth: a key with few turns is judged by its prior.',
    '',
    ...(claims.length === 0
      ? []
      : [
          '## What the rules promise',
          '',
          '| promise | measured | holds |',
          '| --- | --- | --- |',
          ...claims.map(
            ({ promise, measured, holds }) => `| ${promise} | ${measured} | ${holds ? 'yes' : '**no**'} |`,
          ),
          '',
        ]),
    ...reportOf(result),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
