import { type GapModel, gapModels } from './gap-models.ts';
import { studyKeys } from './gap-study.ts';
import {
  addObservation,
  emptyObservation,
  type ObservationTally,
  ObservedWorld,
  turnsPerWorld,
} from './observation-study.ts';
import { addTally, emptyTally, type Tally } from './tally.ts';

export interface StudyOptions {
  /** Healthy turns a scenario. */
  readonly turns: number;
  /** Other numbers of turns for some. */
  readonly turnsOf: Readonly<Record<string, number>>;
  /** Ids; empty: all. */
  readonly models: readonly string[];
  readonly seed: number;
}

/** The scenario of the observation layer, beside the gap models. */
const observationId = 'OBS';

export const modelIds: readonly string[] = [...gapModels.map(({ id }) => id), observationId];

/** One piece of work, small enough to share out. Plain data. */
export type StudyTask =
  | {
      readonly kind: 'gaps';
      readonly model: string;
      readonly seed: number;
      readonly from: number;
      readonly to: number;
      readonly turnsPerKey: number;
    }
  | {
      readonly kind: 'observation';
      readonly preset: 'strict' | 'measured';
      readonly seed: string;
      readonly turns: number;
    };

export type TaskResult =
  | { readonly kind: 'gaps'; readonly model: string; readonly tallies: readonly Tally[] }
  | { readonly kind: 'observation'; readonly tally: ObservationTally };

export interface StudyResult {
  readonly gaps: ReadonlyMap<string, readonly Tally[]>;
  readonly observation: readonly ObservationTally[];
}

const keysPerTask = 100;

function turnsOf(id: string, options: StudyOptions): number {
  return options.turnsOf[id] ?? options.turns;
}

/** All work of a study, in the order in which its results are put together. */
export function tasksOf(options: StudyOptions): StudyTask[] {
  const wanted = (id: string): boolean => options.models.length === 0 || options.models.includes(id);
  const tasks = gapModels.filter(({ id }) => wanted(id)).flatMap((model) => gapTasks(model, options));
  if (wanted(observationId))
    for (const preset of ['strict', 'measured'] as const)
      for (let done = 0, turns = turnsOf(observationId, options); done < turns; done += turnsPerWorld)
        tasks.push({
          kind: 'observation',
          preset,
          seed: `${options.seed}/${observationId}/${done}`,
          turns: Math.min(turnsPerWorld, turns - done),
        });
  return tasks;
}

function gapTasks(model: GapModel, options: StudyOptions): StudyTask[] {
  const turns = turnsOf(model.id, options);
  const turnsPerKey = Math.min(model.turnsPerKey, turns);
  const keys = Math.ceil(turns / turnsPerKey);
  const step = model.turnsPerKey < 1000 ? keysPerTask : 1;
  const tasks: StudyTask[] = [];
  for (let from = 0; from < keys; from += step)
    tasks.push({
      kind: 'gaps',
      model: model.id,
      seed: options.seed,
      from,
      to: Math.min(keys, from + step),
      turnsPerKey,
    });
  return tasks;
}

export function runTask(task: StudyTask): TaskResult {
  if (task.kind === 'observation') {
    const tally = new ObservedWorld(task.preset, task.seed, task.turns).run();
    return { kind: 'observation', tally };
  }
  const model = gapModels.find(({ id }) => id === task.model);
  if (model === undefined) throw new Error(`there is no gap model "${task.model}"`);
  const tallies = studyKeys(model, task.seed, task.from, task.to, task.turnsPerKey);
  return { kind: 'gaps', model: model.id, tallies };
}

/** Puts results together; they must come in the order of their tasks, whoever worked them out. */
export function gather(results: Iterable<TaskResult>): StudyResult {
  const gaps = new Map<string, Tally[]>();
  const observation: ObservationTally[] = [];
  for (const result of results) {
    if (result.kind === 'observation') {
      let sum = observation.find(({ rule }) => rule === result.tally.rule);
      if (sum === undefined) {
        sum = emptyObservation(result.tally.rule);
        observation.push(sum);
      }
      addObservation(sum, result.tally);
      continue;
    }
    let sums = gaps.get(result.model);
    if (sums === undefined) {
      sums = result.tallies.map(({ rule }) => emptyTally(rule));
      gaps.set(result.model, sums);
    }
    for (const tally of result.tallies) {
      const sum = sums.find(({ rule }) => rule === tally.rule);
      if (sum !== undefined) addTally(sum, tally);
    }
  }
  return { gaps, observation };
}
