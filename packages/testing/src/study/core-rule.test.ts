import { type Effect, makePolicy, type Policy, Registry, type Signal } from '@turnwatch/core';
import { Producer } from '@turnwatch/instrumentation/producer';
import { expect, test } from 'vitest';
import { CoreRule } from './core-rule.ts';
import type { Trial } from './detection-rule.ts';
import { gapModels } from './gap-models.ts';
import { trialsOf } from './gap-study.ts';
import { tokenMs } from './plan.ts';

const transitMs = 20;
const beatMs = 1000;

interface Told {
  readonly turn: number;
  readonly what: string;
  /** From the start of the request, ms. */
  readonly atMs: number;
}

/** Plays trials the long way: every token, every heartbeat, the real producer on a clock of 1 Hz. */
function playDense(trials: readonly Trial[], policy: Policy): { told: Told[]; registry: Registry } {
  let nowMs = 0;
  const told: Told[] = [];
  const registry = new Registry(policy, at(0));
  let current = { turn: 0, startMs: 0 };
  const hear = (signal: Signal): Effect[] => {
    const now = at(nowMs + transitMs);
    const effects = [...registry.receive(signal, 'direct', now), ...registry.judge(now)];
    for (const effect of effects)
      if (effect.kind === 'publish' && effect.event.type !== 'turn.suspect')
        told.push({ turn: current.turn, what: effect.event.type, atMs: nowMs - current.startMs });
    return effects;
  };
  for (const [turn, trial] of trials.entries()) {
    const { plan, key, stop, killed, beatPhaseMs } = trial;
    const startMs = Math.ceil(nowMs / beatMs) * beatMs + beatMs;
    nowMs = startMs - beatMs + beatPhaseMs;
    current = { turn, startMs };
    const producer = new Producer({
      processId: `p${turn}`,
      bootId: 'b',
      clock: { monoMs: () => nowMs, wallMs: () => nowMs },
      worker: true,
      newId: () => 'unused',
      sink: (signal) => void hear(signal),
    });
    const beat = (): boolean => {
      let stale = false;
      for (const signal of producer.heartbeat())
        stale =
          hear(signal).some((effect) => effect.kind === 'publish' && effect.event.type === 'turn.stale') ||
          stale;
      return stale;
    };
    const acts = actsOf(trial);
    let beatAtMs = beatPhaseMs;
    let act = 0;
    nowMs = startMs;
    const sdk = producer.startTurn({
      id: `t${turn}`,
      provider: key.provider,
      model: key.model,
      route: key.route,
    });
    sdk.requestStarted({ id: 'r', promptTokens: plan.promptTokens });
    for (;;) {
      const next = acts[act];
      if (next !== undefined && next.atMs <= beatAtMs) {
        act++;
        nowMs = startMs + next.atMs;
        if (next.what === 'end') {
          sdk.requestEnded('r');
          sdk.ended();
          break;
        }
        if (next.what === 'progress') sdk.promptRead({ read: act, requestId: 'r' });
        else if (next.what === 'keepalive') sdk.keepalive('r');
        else sdk.chunk(next.what, 'r');
        continue;
      }
      nowMs = startMs + beatAtMs;
      beatAtMs += beatMs;
      if (beat() && (killed || (stop !== undefined && next === undefined))) {
        nowMs++;
        sdk.requestEnded('r', { outcome: 'cancelled' });
        sdk.ended({ outcome: 'cancelled' });
        break;
      }
    }
  }
  return { told, registry };
}

function at(ms: number): { awakeMs: number; bootMs: number; wallMs: number } {
  return { awakeMs: ms, bootMs: ms, wallMs: ms };
}

function actsOf({
  plan,
}: Trial): { what: 'text' | 'reasoning' | 'progress' | 'keepalive' | 'end'; atMs: number }[] {
  const acts: ReturnType<typeof actsOf> = [];
  for (const { what, atMs, untilMs } of plan.steps)
    for (let ms = atMs; ms <= untilMs; ms += tokenMs) acts.push({ what, atMs: ms });
  if (Number.isFinite(plan.endMs)) acts.push({ what: 'end', atMs: plan.endMs });
  return acts;
}

/** The same the short way, as the study does it. */
function playSparse(trials: readonly Trial[], policy: Policy): { told: Told[]; registry: Registry } {
  const told: Told[] = [];
  let turn = -1;
  let startA = 0;
  class Listening extends CoreRule {
    override hear(signal: Parameters<CoreRule['hear']>[0]): Effect[] {
      if (signal.happening.name === 'request_started') {
        turn++;
        startA = signal.origin.a;
      }
      const effects = super.hear(signal);
      for (const effect of effects)
        if (effect.kind === 'publish' && effect.event.type !== 'turn.suspect')
          told.push({ turn, what: effect.event.type, atMs: signal.origin.a - startA });
      return effects;
    }
  }
  const rule = new Listening(policy.preset, policy);
  for (const trial of trials) rule.play(trial);
  return { told, registry: rule.registry };
}

function learned(registry: Registry): unknown {
  return registry
    .baselines()
    .filter((baseline) => baseline.phase !== 'agent')
    .map(({ key, samples, maxGapMs, backoff, censored, largestGaps }) => ({
      key,
      samples,
      maxGapMs,
      backoff,
      censored,
      largestGaps,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Flags each turn that pauses for longer than any before: verdicts, refutations and kills in plenty. */
const hasty = makePolicy({ preset: 'measured', margin: 1, confirmRatio: 0, floorMs: 1000 });

test.each(['S1', 'S2', 'S3', 'S3b', 'S4', 'S6', 'S8', 'S9n'])(
  'model %s: leaving out heartbeats changes no verdict and no baseline, held against the real producer at 1 Hz',
  (id) => {
    const model = gapModels.find((each) => each.id === id);
    if (model === undefined) throw new Error(`no model ${id}`);
    const trials = [...trialsOf(model, 7, 0, 150)];
    for (const policy of [makePolicy(), makePolicy({ preset: 'measured' }), hasty]) {
      const dense = playDense(trials, policy);
      const sparse = playSparse(trials, policy);
      expect(sparse.told).toEqual(dense.told);
      expect(learned(sparse.registry)).toEqual(learned(dense.registry));
      if (policy === hasty)
        expect(dense.told.filter(({ what }) => what === 'turn.recovered')).not.toEqual([]);
    }
  },
  120_000,
);
