import type { Effect, SourceSilentEvent, TurnEvent, TurnView } from '@turnwatch/core';
import { play } from './drive.ts';
import { expandSignals } from './scenario.ts';
import type { Expectation, Scenario } from './scenario-shape.ts';
import { type Variant, World } from './world.ts';

export interface ScenarioResult {
  readonly id: string;
  readonly passed: boolean;
  /** What did not hold, in words. */
  readonly failures: readonly string[];
  /** Every verdict in its order. */
  readonly events: readonly (TurnEvent | SourceSilentEvent)[];
}

export interface TraceLine {
  readonly t: number;
  readonly turn: string;
  readonly state: string;
  readonly phase: string;
  readonly silenceMs: number;
  readonly thresholdMs: number;
  readonly reason: string | null;
}

export interface RunOptions extends Variant {
  /** Called at each change of a turn's state or phase. */
  readonly trace?: (line: TraceLine) => void;
}

interface Published {
  readonly type: string;
  readonly turn: string | undefined;
  readonly atS: number;
  readonly toAgents: boolean;
}

/** Runs a scenario through the real producer, wire and core in simulated time and holds it against what it expects. */
export function runScenario(scenario: Scenario, options: RunOptions = {}): ScenarioResult {
  const published: Published[] = [];
  const events: (TurnEvent | SourceSilentEvent)[] = [];
  const world: World = new World(scenario, options, (effects) => {
    const told = effects.flatMap((effect: Effect) => (effect.kind === 'publish' ? [effect.event] : []));
    events.push(...told);
    published.push(...told.map((event) => publishedOf(event, world)));
  });
  const signals = expandSignals(scenario);
  for (const signal of signals) world.timeline.at(signal.t * 1000, () => play(world, signal));
  if (options.trace !== undefined) tracer(world, turnsOf(scenario), options.trace);
  const failures: string[] = [];
  const instants = scenario.expect
    .filter((each) => each.t !== undefined)
    .sort((a, b) => (a.t ?? 0) - (b.t ?? 0));
  for (const each of instants) {
    world.timeline.runUntil((each.t ?? 0) * 1000);
    failures.push(...compare(each, world.detector.turn(each.turn)));
  }
  const endS = Math.max(
    0,
    ...scenario.expect.map((each) => Math.max(each.t ?? 0, each.staleBetween?.[1] ?? 0)),
    signals.at(-1)?.t ?? 0,
  );
  world.timeline.runUntil(endS * 1000 + 1);
  for (const each of scenario.expect) failures.push(...overTime(each, published));
  failures.push(...countPublished(scenario, published));
  return { id: scenario.id, passed: failures.length === 0, failures, events };
}

function turnsOf(scenario: Scenario): string[] {
  return [
    ...new Set(scenario.signals.flatMap((signal) => (signal.type === 'turn.started' ? [signal.turn] : []))),
  ];
}

function publishedOf(event: TurnEvent | SourceSilentEvent, world: World): Published {
  return {
    type: event.type,
    turn: event.type === 'source.silent' ? undefined : event.turn,
    atS: world.timeline.nowMs / 1000,
    toAgents: event.type === 'source.silent' || event.tellsParent,
  };
}

function compare(expected: Expectation, view: TurnView | undefined): string[] {
  const at = `t=${expected.t} turn ${expected.turn}`;
  if (view === undefined) return [`${at}: the turn is not known, expected ${JSON.stringify(expected.state)}`];
  const failures: string[] = [];
  const hold = (name: string, wanted: unknown, is: unknown): void => {
    if (wanted === undefined) return;
    const holds =
      Array.isArray(wanted) && !Array.isArray(is)
        ? wanted.includes(is)
        : JSON.stringify(wanted) === JSON.stringify(is);
    if (!holds)
      failures.push(
        `${at}: ${name} is ${JSON.stringify(is)}, expected ${JSON.stringify(wanted)} (${describe(view)})`,
      );
  };
  hold('state', expected.state, view.state);
  hold('reason', expected.reason, view.reason);
  hold('phase', expected.phase, view.phase);
  hold('episode', expected.episode, view.episode);
  hold('thresholdSource', expected.thresholdSource, view.thresholdSource);
  if (expected.thresholdMs !== undefined && Math.abs(expected.thresholdMs - view.thresholdMs) > 1)
    hold('thresholdMs', expected.thresholdMs, view.thresholdMs);
  hold('waiting', expected.waiting, view.waiting !== null);
  if (expected.expiredCalls !== undefined)
    hold('expiredCalls', [...expected.expiredCalls].sort(), [...view.expiredCalls].sort());
  return failures;
}

function describe(view: TurnView): string {
  return `phase ${view.phase}, silence ${view.silenceMs} of ${Math.round(view.thresholdMs)} ms, reason ${view.reason ?? 'none'}`;
}

function overTime(expected: Expectation, published: readonly Published[]): string[] {
  const stales = published
    .filter((each) => each.type === 'turn.stale' && each.turn === expected.turn)
    .map((each) => each.atS);
  if (expected.neverStale === true && stales.length > 0)
    return [`turn ${expected.turn}: stale at ${stales.join(', ')} s, expected never`];
  if (expected.staleBetween !== undefined) {
    const [from, until] = expected.staleBetween;
    if (!stales.some((atS) => atS >= from && atS <= until))
      return [
        `turn ${expected.turn}: stale at ${stales.join(', ') || 'no time'}, expected between ${from} and ${until} s`,
      ];
  }
  return [];
}

function countPublished(scenario: Scenario, published: readonly Published[]): string[] {
  const failures: string[] = [];
  for (const [type, wanted] of Object.entries(scenario.published ?? {})) {
    const told = published.filter((each) => each.type === type && each.toAgents);
    const hold = (count: number, times: readonly Published[], of: string): void => {
      if (times.length !== count)
        failures.push(
          `${type}${of}: ${times.length} published (at ${times.map((each) => each.atS).join(', ')} s), expected ${count}`,
        );
    };
    if (typeof wanted === 'number') hold(wanted, told, '');
    else
      for (const [turn, count] of Object.entries(wanted))
        hold(
          count,
          told.filter((each) => each.turn === turn),
          ` of ${turn}`,
        );
  }
  return failures;
}

function tracer(world: World, turns: readonly string[], trace: (line: TraceLine) => void): void {
  const last = new Map<string, string>();
  const look = (): void => {
    for (const id of turns) {
      const view = world.detector.turn(id);
      if (view === undefined) continue;
      const mark = `${view.state}|${view.phase}|${view.reason}|${view.episode}`;
      if (last.get(id) === mark) continue;
      last.set(id, mark);
      trace({
        t: world.timeline.nowMs / 1000,
        turn: id,
        state: view.state,
        phase: view.phase,
        silenceMs: view.silenceMs,
        thresholdMs: view.thresholdMs,
        reason: view.reason,
      });
    }
    world.timeline.after(250, look);
  };
  world.timeline.after(0, look);
}
