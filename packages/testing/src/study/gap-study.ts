import { CoreRule } from './core-rule.ts';
import type { DetectionRule, Trial } from './detection-rule.ts';
import { Draw } from './draw.ts';
import type { GapModel } from './gap-models.ts';
import { fixedTimeout, phiAccrual, TimeoutRule } from './plain-rules.ts';
import { type StopKind, stopped, type TurnPlan } from './plan.ts';
import { addTally, emptyTally, type Tally } from './tally.ts';

/** Of 100 turns of a key one more stops for good. */
const stopShare = 0.01;

/** Makes every rule anew: each key is learned from nothing. */
function allRules(): DetectionRule[] {
  return [
    new CoreRule('strict'),
    new CoreRule('measured'),
    ...[60, 240, 600].map((seconds) => new TimeoutRule(fixedTimeout(seconds))),
    new TimeoutRule(phiAccrual(8)),
  ];
}

/** Plays some keys of a model through every rule: the same turns, stops and kills for each. */
export function studyKeys(
  model: GapModel,
  seed: number,
  from: number,
  to: number,
  turnsPerKey: number,
  makeRules: () => DetectionRule[] = allRules,
): Tally[] {
  const tallies: Tally[] = makeRules().map((rule) => emptyTally(rule.tally.rule));
  for (let number = from; number < to; number++) {
    const rules = makeRules();
    for (const trial of trialsOf(model, seed, number, turnsPerKey))
      for (const rule of rules) rule.play(trial);
    for (const [i, rule] of rules.entries()) {
      const tally = tallies[i];
      if (tally !== undefined) addTally(tally, rule.tally);
    }
  }
  return tallies;
}

export function* trialsOf(
  model: GapModel,
  seed: number,
  number: number,
  turnsPerKey: number,
): Generator<Trial> {
  const name = `${seed}/${model.id}/${number}`;
  const key = model.key(number, new Draw(`${name}/key`));
  const draw = new Draw(`${name}/turns`);
  const chance = new Draw(`${name}/fate`);
  const fate = (): Pick<Trial, 'beatPhaseMs' | 'killed'> => ({
    beatPhaseMs: chance.count(1, 999),
    killed: chance.chance(0.5),
  });
  let stops = 0;
  for (let index = 0; index < turnsPerKey; index++) {
    yield { key, plan: key.turn(draw, index), index, ...fate() };
    if (!chance.chance(stopShare)) continue;
    const stop: StopKind = model.stops[stops++ % model.stops.length] ?? 'mid';
    let plan: TurnPlan | undefined;
    while (plan === undefined) plan = stopped(key.turn(chance, index), stop, chance);
    yield { key, plan, stop, index, ...fate() };
  }
}
