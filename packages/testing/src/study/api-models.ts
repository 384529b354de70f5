import type { Draw } from './draw.ts';
import { type KeyPlan, PlanBuilder, type TurnPlan } from './plan.ts';

// Gap models of requests to providers. The laws are invented; what is known about real gaps is in docs/study.md.

const s = 1000;

function key(provider: string, number: number, turn: KeyPlan['turn']): KeyPlan {
  return { provider, model: `${provider}-${number}`, route: 'api', turn };
}

/** S1: pauses log-normal with a median of 2 s, never over 18 s. */
function chatTurn(draw: Draw, special?: (plan: PlanBuilder) => void): TurnPlan {
  const plan = new PlanBuilder()
    .pause(Math.min(60 * s, draw.logNormal(1.5 * s, 0.8)))
    .content('text', draw.between(20, 200));
  const pauses = draw.count(0, 4);
  for (let i = 0; i < pauses; i++)
    plan.pause(Math.min(18 * s, draw.logNormal(2 * s, 0.75))).content('text', draw.between(20, 200));
  if (special !== undefined) {
    special(plan);
    plan.content('text', draw.between(20, 200));
  }
  return plan.end();
}

export function chat(number: number): KeyPlan {
  return key('chat', number, (draw) => chatTurn(draw));
}

function thinkingTurn(draw: Draw): TurnPlan {
  const plan = new PlanBuilder()
    .pause(Math.min(60 * s, draw.logNormal(2 * s, 0.8)))
    .content('reasoning', draw.between(10, 100));
  const pauses = draw.count(1, 6);
  for (let i = 0; i < pauses; i++)
    plan.pause(Math.min(20 * s, draw.logNormal(4 * s, 0.7))).content('reasoning', draw.between(10, 100));
  if (draw.chance(0.01))
    plan.pause(Math.min(220 * s, draw.pareto(15 * s, 1.5))).content('reasoning', draw.between(10, 100));
  return plan.end();
}

/** S2: 1 to 6 pauses with a median of 4 s, never over 20 s; 1 % of turns think for Pareto(15 s, 1.5), never over 220 s. */
export function reasoning(number: number): KeyPlan {
  return key('reasoning', number, thinkingTurn);
}

/** S2c: what comes after the thinking, apart: 1 to 6 pauses with a median of 0.6 s, never over 6 s. */
export function textPhase(number: number): KeyPlan {
  return key('text', number, (draw) => {
    const plan = new PlanBuilder()
      .pause(Math.min(20 * s, draw.logNormal(1 * s, 0.6)))
      .content('text', draw.between(20, 200));
    const pauses = draw.count(1, 6);
    for (let i = 0; i < pauses; i++)
      plan.pause(Math.min(6 * s, draw.logNormal(0.6 * s, 0.7))).content('text', draw.between(20, 200));
    return plan.end();
  });
}

/** A provider that is slow at times: everything takes `factor` times as long. */
function slowed(draw: Draw, factor: number, capMs: number): TurnPlan {
  const plan = new PlanBuilder()
    .pause(factor * Math.min(30 * s, draw.logNormal(1.5 * s, 0.7)))
    .content('text', draw.between(10, 100));
  const pauses = draw.count(1, 6);
  for (let i = 0; i < pauses; i++)
    plan.pause(factor * Math.min(capMs, draw.logNormal(4 * s, 0.7))).content('text', draw.between(10, 100));
  return plan.end();
}

/** S4: about every 2,000 turns the provider is 1.5 to 4 times as slow, for about 300 turns. */
export function shifts(number: number, keyDraw: Draw): KeyPlan {
  let factor = 1;
  let until = keyDraw.exponential(2000);
  return key('shifts', number, (draw, index) => {
    while (index >= until) {
      factor = factor === 1 ? keyDraw.between(1.5, 4) : 1;
      until += keyDraw.exponential(factor === 1 ? 2000 : 300);
    }
    return slowed(draw, factor, 20 * s);
  });
}

/** S5: load goes up and down, 1 to 2.5 times, with a period of 2,000 turns. */
export function drift(number: number, keyDraw: Draw): KeyPlan {
  const phase = keyDraw.next();
  return key('drift', number, (draw, index) =>
    slowed(draw, 1 + 0.75 * (1 - Math.cos(2 * Math.PI * (index / 2000 + phase))), 40 * s),
  );
}

/** S6: S1, and 2 of 10,000 turns are silent for 300 to 900 s and yet healthy. */
export function freaks(number: number): KeyPlan {
  return key('freaks', number, (draw) =>
    chatTurn(draw, draw.chance(2e-4) ? (plan) => plan.pause(draw.between(300 * s, 900 * s)) : undefined),
  );
}

/** S7: many keys with few turns each: half chat, three in ten thinking, the others bursts that hardly ever pause. */
export function coldStart(number: number, keyDraw: Draw): KeyPlan {
  const kind = keyDraw.next();
  if (kind < 0.5) return key('cold', number, (draw) => chatTurn(draw));
  if (kind < 0.8) return key('cold', number, thinkingTurn);
  return key('cold', number, (draw) => {
    const plan = new PlanBuilder().pause(draw.logNormal(0.8 * s, 0.4)).content('text', draw.between(50, 300));
    if (draw.chance(0.05))
      plan.pause(Math.min(60 * s, draw.logNormal(8 * s, 0.9))).content('text', draw.between(50, 300));
    return plan.end();
  });
}

/** S8: S1, and 5 of 10,000 turns stall for 60 to 900 s, really, and then recover by themselves. */
export function recovering(number: number): KeyPlan {
  return key('recovering', number, (draw) =>
    chatTurn(draw, draw.chance(5e-4) ? (plan) => plan.stall(draw.between(60 * s, 900 * s)) : undefined),
  );
}

/** S9: the time to the first token follows the uncached prompt: 30 % long reads, the others nearly all cached. */
function prompted(draw: Draw, rate: number, told: boolean): TurnPlan {
  const tokens = Math.round(
    draw.chance(0.3)
      ? Math.min(190_000, draw.logNormal(30_000, 0.9))
      : Math.min(190_000, draw.logNormal(1500, 0.8)),
  );
  const readMs = (tokens / (rate * draw.logNormal(1, 0.15))) * s;
  const plan = new PlanBuilder()
    .pause(Math.min(20 * s, draw.logNormal(0.8 * s, 0.5)) + readMs)
    .content('text', draw.between(20, 200));
  const pauses = draw.count(0, 4);
  for (let i = 0; i < pauses; i++)
    plan.pause(Math.min(6 * s, draw.logNormal(0.6 * s, 0.7))).content('text', draw.between(20, 200));
  return plan.end(told ? tokens : undefined);
}

export function promptUnknown(number: number, keyDraw: Draw): KeyPlan {
  const rate = keyDraw.logUniform(1000, 2500);
  return key('prompt', number, (draw) => prompted(draw, rate, false));
}

export function promptKnown(number: number, keyDraw: Draw): KeyPlan {
  const rate = keyDraw.logUniform(1000, 2500);
  return key('prompt', number, (draw) => prompted(draw, rate, true));
}
