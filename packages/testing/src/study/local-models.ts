import type { Draw } from './draw.ts';
import { type KeyPlan, PlanBuilder } from './plan.ts';

// Gap models of a local engine with one slot: the first token waits for the queue and for the read of the prompt.

const s = 1000;
/** Of the whole way to the first token: nothing waits longer in these models. */
const longestMs = 1500 * s;
const chunkTokens = 6144;
const queueBeatMs = 10 * s;

interface Way {
  readonly queueMs: number;
  readonly tokens: number;
  readonly rate: number;
}

function uncached(draw: Draw): number {
  return draw.chance(0.3) ? Math.min(128_000, draw.logNormal(9000, 1.1)) : draw.logNormal(600, 1);
}

function way(draw: Draw, keyRate: number): Way {
  const rate = keyRate * draw.logNormal(1, 0.1);
  let queueMs = 0;
  for (let ahead = draw.chance(0.35) ? (draw.chance(0.15) ? 2 : 1) : 0; ahead > 0; ahead--)
    queueMs += draw.next() * ((uncached(draw) / keyRate) * s + draw.between(5, 60) * s);
  const tokens = Math.min(uncached(draw), (rate * longestMs) / (2 * s));
  return { queueMs: Math.min(queueMs, longestMs / 2), tokens, rate };
}

function answer(plan: PlanBuilder, draw: Draw): PlanBuilder {
  plan.content('text', draw.between(20, 200));
  const pauses = draw.count(0, 3);
  for (let i = 0; i < pauses; i++)
    plan.pause(Math.min(5 * s, draw.logNormal(0.5 * s, 0.6))).content('text', draw.between(20, 200));
  return plan;
}

/** S3: one gap from the request to the first token; 150 to 650 tokens a second. The prompt size is not known. */
export function localWithoutProgress(number: number, keyDraw: Draw): KeyPlan {
  const rate = keyDraw.logUniform(150, 650);
  return {
    provider: 'local',
    model: `local-${number}`,
    route: 'local',
    turn: (draw) => {
      const { queueMs, tokens, rate: now } = way(draw, rate);
      return answer(new PlanBuilder().pause(queueMs + (tokens / now) * s), draw).end();
    },
  };
}

/** S3b: the same engine, but it beats every 10 s in its queue and tells each 6,144 tokens read. */
export function localWithProgress(number: number, keyDraw: Draw): KeyPlan {
  const rate = keyDraw.logUniform(150, 650);
  return {
    provider: 'local',
    model: `local-${number}`,
    route: 'local',
    turn: (draw) => {
      const { queueMs, tokens, rate: now } = way(draw, rate);
      const plan = new PlanBuilder();
      for (let left = queueMs; left > 0; left -= queueBeatMs) {
        plan.pause(Math.min(left, queueBeatMs) * draw.logNormal(1, 0.02));
        if (left > queueBeatMs) plan.evidence('keepalive');
      }
      for (let left = tokens; left > 0; left -= chunkTokens) {
        const slow = draw.logNormal(1, 0.15);
        plan.pause((Math.min(left, chunkTokens) / now) * slow * s);
        if (left > chunkTokens) plan.evidence('progress');
      }
      return answer(plan, draw).end();
    },
  };
}
