import { z } from 'zod';
import type { Scenario, ScenarioSignal } from './scenario-shape.ts';

// The scenario file format: what happened (signals on a clock) and what a right detector says at given instants.

const seconds = z.number().nonnegative();
const turn = z.string().min(1);
const process = z.string().min(1).optional();
const phase = z.enum([
  'queued',
  'first_token',
  'reasoning',
  'text',
  'tool_args',
  'non_streaming',
  'compacting',
  'agent',
]);
const phaseThresholds = z.partialRecord(phase, z.number().positive());
const repeat = z
  .strictObject({ every: z.number().positive(), times: z.number().int().nonnegative() })
  .optional();
const base = { t: seconds, process, repeat };

function signal<const T extends string, const S extends z.core.$ZodLooseShape>(type: T, shape: S) {
  return z.strictObject({ ...base, type: z.literal(type), ...shape });
}

const outcome = z.enum(['completed', 'failed', 'cancelled']).optional();

const scenarioSignal = z.discriminatedUnion('type', [
  signal('turn.started', {
    turn,
    attempt: z.number().int().positive().optional(),
    incarnation: z.number().int().positive().optional(),
    parent: z.string().optional(),
    parentCall: z.string().optional(),
    conversation: z.string().optional(),
    agent: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
    route: z.enum(['api', 'local']).optional(),
    engine: z.string().optional(),
    expiresAt: z.number().optional(),
    managedBy: z.string().optional(),
  }),
  signal('turn.ended', { turn, outcome }),
  signal('request.started', {
    turn,
    request: z.string(),
    streaming: z.boolean().optional(),
    promptTokens: z.number().nonnegative().optional(),
    expiresAt: z.number().optional(),
  }),
  signal('request.ended', {
    turn,
    request: z.string(),
    outcome,
    retryable: z.boolean().optional(),
    retryAt: z.number().optional(),
  }),
  signal('chunk', { turn, kind: z.enum(['text', 'reasoning', 'tool_args']), request: z.string().optional() }),
  signal('agent.step', { turn, name: z.string().optional() }),
  signal('lifecycle', { turn, name: z.string().optional(), request: z.string().optional() }),
  signal('noise', { name: z.string().optional(), turn: z.string().optional() }),
  signal('keepalive', { turn, request: z.string().optional() }),
  signal('prompt.read', {
    turn,
    read: z.number().nonnegative(),
    total: z.number().nonnegative().optional(),
    request: z.string().optional(),
  }),
  signal('engine.sample', {
    engine: z.string(),
    state: z.enum(['idle', 'busy', 'unloaded']),
    slots: z
      .array(
        z.strictObject({
          id: z.number().int(),
          turn: z.string().nullish(),
          read: z.number().nonnegative().optional(),
          generated: z.number().nonnegative().optional(),
        }),
      )
      .optional(),
    queued: z.number().nonnegative().optional(),
  }),
  signal('engine.unreachable', { engine: z.string() }),
  signal('tool.started', {
    turn,
    call: z.string(),
    name: z.string().optional(),
    timeout: z.number().nonnegative().optional(),
  }),
  signal('tool.progress', { turn, call: z.string() }),
  signal('tool.ended', {
    turn,
    call: z.string(),
    status: z.enum(['completed', 'failed', 'cancelled']).optional(),
  }),
  signal('compaction.started', { turn }),
  signal('compaction.ended', { turn }),
  signal('waiting.started', {
    turn,
    call: z.string().optional(),
    for: z.enum(['approval', 'input', 'rate_limit', 'schedule', 'child', 'retry']),
    until: z.number().optional(),
  }),
  signal('waiting.ended', { turn, call: z.string().optional() }),
  signal('process.exited', { code: z.number().int().optional() }),
  signal('process.killed', {}),
  signal('host.slept', { for: seconds, announced: z.boolean().optional() }),
  signal('process.blocked', { for: seconds, worker: z.boolean().optional() }),
  signal('clock.stepped', { by: z.number() }),
  signal('clock.skewed', { by: z.number() }),
  signal('pipeline.delayed', { for: seconds }),
  signal('pipeline.lost', { for: seconds }),
  signal('pipeline.duplicated', { for: seconds }),
  signal('detector.paused', { for: seconds }),
  signal('detector.restarted', { for: seconds.optional() }),
  signal('provider.error', {
    turn,
    retryable: z.boolean().optional(),
    retryAt: z.number().optional(),
    name: z.string().optional(),
  }),
  signal('settle.late', { turn }),
]);

const state = z.enum(['running', 'suspect', 'stale', 'expired', 'ended']);

const expectation = z.strictObject({
  t: seconds.optional(),
  turn,
  state: z.union([state, z.array(state)]).optional(),
  reason: z.union([z.string(), z.array(z.string())]).optional(),
  phase: z.string().optional(),
  episode: z.number().int().optional(),
  thresholdSource: z.enum(['measured', 'default']).optional(),
  thresholdMs: z.number().optional(),
  waiting: z.boolean().optional(),
  expiredCalls: z.array(z.string()).optional(),
  staleBetween: z.tuple([seconds, seconds]).optional(),
  neverStale: z.boolean().optional(),
  note: z.string().optional(),
});

const policy = z.strictObject({
  preset: z.enum(['strict', 'measured']).optional(),
  defaultThresholdMs: phaseThresholds.optional(),
  floorMs: z
    .union([z.number(), z.strictObject({ first_token: z.number().optional(), other: z.number().optional() })])
    .optional(),
  minSamples: z.number().optional(),
  margin: z.number().optional(),
  confirmRatio: z.number().optional(),
  engineGraceMs: z.number().optional(),
  keepaliveApiMs: z.number().optional(),
  toolIdleTimeoutMs: z.number().optional(),
  pendingGraceMultiplier: z.number().optional(),
  longPauseMs: z.number().optional(),
  unreachableMs: z
    .strictObject({ server: z.number().optional(), portable: z.number().optional() })
    .optional(),
  blockedMs: z.number().optional(),
  noContentMs: z.number().optional(),
  handoverMs: z.number().optional(),
  defaultExpiresAfterMs: z.number().optional(),
  priors: z
    .array(
      z.strictObject({
        provider: z.string().optional(),
        model: z.string().optional(),
        route: z.enum(['api', 'local']).optional(),
        thresholdMs: phaseThresholds,
      }),
    )
    .optional(),
});

const scenarioFile = z.strictObject({
  id: z.string().min(1),
  title: z.string().optional(),
  source: z.string().optional(),
  note: z.string().optional(),
  hosts: z
    .record(
      z.string(),
      z.strictObject({
        class: z.enum(['server', 'portable']).optional(),
        host: z.string().optional(),
        worker: z.boolean().optional(),
      }),
    )
    .optional(),
  producers: z.record(z.string(), z.strictObject({ heartbeats: z.boolean().optional() })).optional(),
  policy: policy.optional(),
  baselines: z
    .array(
      z.strictObject({
        provider: z.string(),
        model: z.string(),
        phase: z.string(),
        samples: z.number().int().nonnegative(),
        maxGapMs: z.number().nonnegative(),
        maxPingedMs: z.number().nonnegative().optional(),
        backoff: z.number().min(1).max(8).optional(),
      }),
    )
    .optional(),
  signals: z.array(scenarioSignal),
  expect: z.array(expectation),
  published: z.record(z.string(), z.union([z.number(), z.record(z.string(), z.number())])).optional(),
});

/**
 * Reads a scenario.
 * @throws Error that names the file, the place in it and what is wrong there.
 */
export function parseScenario(text: string, name: string): Scenario {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: not JSON: ${(error as Error).message}`);
  }
  const parsed = scenarioFile.safeParse(json);
  if (!parsed.success) throw new Error(`${name}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The signals with their repetitions written out, in order of time. */
export function expandSignals(scenario: Scenario): ScenarioSignal[] {
  const signals: ScenarioSignal[] = [];
  for (const each of scenario.signals) {
    const { repeat: repeated, ...once } = each;
    for (let i = 0; i <= (repeated?.times ?? 0); i++)
      signals.push({ ...once, t: each.t + i * (repeated?.every ?? 0) } as ScenarioSignal);
  }
  return signals.sort((a, b) => a.t - b.t);
}
