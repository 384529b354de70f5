import type { Happening, TurnIdentity } from '@turnwatch/core';
import type { Producer, ProducerTurn } from '@turnwatch/instrumentation/producer';
import type { ScenarioSignal } from './scenario-shape.ts';
import type { World } from './world.ts';

type Of<T extends ScenarioSignal['type']> = Extract<ScenarioSignal, { readonly type: T }>;

/** Plays one signal of a scenario into a world, at the present instant. */
export function play(world: World, signal: ScenarioSignal): void {
  const process = signal.process ?? 'p1';
  switch (signal.type) {
    case 'noise':
      return;
    case 'engine.sample':
      world.probe(process, {
        engine: signal.engine,
        state: signal.state,
        slots: (signal.slots ?? []).map((slot) => ({
          id: slot.id,
          ...(typeof slot.turn === 'string' ? { turn: slot.turn } : {}),
          read: slot.read ?? 0,
          generated: slot.generated ?? 0,
        })),
        queued: signal.queued ?? 0,
      });
      return;
    case 'engine.unreachable':
      world.probe(process, { engine: signal.engine, state: 'unreachable', slots: [], queued: 0 });
      return;
    case 'process.exited':
      world.process(process).exit(signal.code);
      return;
    case 'process.killed':
      world.process(process).kill();
      return;
    case 'host.slept':
      sleep(world, process, signal);
      return;
    case 'process.blocked':
      world.process(process).block();
      world.timeline.after(signal.for * 1000, () => world.process(process).unblock());
      return;
    case 'clock.stepped':
    case 'clock.skewed':
      world.clockOf(process).step(signal.by * 1000);
      return;
    case 'pipeline.delayed':
    case 'pipeline.lost':
    case 'pipeline.duplicated':
      world.pipeline.disturb(disturbance[signal.type], signal.for * 1000, signal.process);
      return;
    case 'detector.paused':
      world.detector.stand();
      world.timeline.after(signal.for * 1000, () => world.detector.goOn());
      return;
    case 'detector.restarted':
      world.detector.stop();
      world.timeline.after((signal.for ?? 0) * 1000, () => world.detector.restart());
      return;
    default:
      playTurn(world, process, signal);
  }
}

const disturbance = {
  'pipeline.delayed': 'delayed',
  'pipeline.lost': 'lost',
  'pipeline.duplicated': 'duplicated',
} as const;

function sleep(world: World, process: string, signal: Of<'host.slept'>): void {
  const forMs = signal.for * 1000;
  if (process === 'detector') {
    world.detector.stand();
    world.detectorClock.sleep();
    world.timeline.after(forMs, () => {
      world.detectorClock.wake();
      world.detector.goOn();
    });
    return;
  }
  const sleepers = world.onHostOf(process);
  const clock = world.clockOf(process);
  if (signal.announced === true)
    for (const sleeper of sleepers) if (sleeper.alive) sleeper.suspendAnnounced();
  for (const sleeper of sleepers) sleeper.sleep();
  clock.sleep();
  world.timeline.after(forMs, () => {
    clock.wake();
    for (const sleeper of sleepers) sleeper.wake();
  });
}

type TurnScenarioSignal = Extract<ScenarioSignal, { readonly turn: string }>;

function playTurn(world: World, process: string, signal: TurnScenarioSignal): void {
  const coarse = world.coarse(process);
  if (coarse !== undefined) {
    const identity = signal.type === 'turn.started' ? coarseIdentity(world, process, signal) : undefined;
    if (signal.type === 'turn.started') coarse.started(signal.turn, signal.attempt ?? 1, identity ?? {});
    else {
      const happening = happeningOf(world, signal);
      if (happening !== undefined) coarse.happened(signal.turn, happening);
    }
    return;
  }
  const sim = world.process(process);
  sim.run((producer) => {
    if (signal.type === 'turn.started') sim.turns.push(start(world, process, producer, signal));
    else if (signal.type === 'settle.late') lateOf(sim.turns, signal.turn)?.settleLate();
    else {
      const turn = producer.turn(signal.turn);
      if (turn !== undefined) tell(world, process, turn, signal);
    }
  });
}

/** The attempt that hung: an earlier one where a new one has taken its place. */
function lateOf(turns: readonly ProducerTurn[], id: string): ProducerTurn | undefined {
  return turns.find((turn) => turn.id === id);
}

function start(world: World, process: string, producer: Producer, signal: Of<'turn.started'>): ProducerTurn {
  return producer.startTurn({
    id: signal.turn,
    attempt: signal.attempt,
    incarnation: signal.incarnation,
    parentId: signal.parent,
    parentCallId: signal.parentCall,
    conversationId: signal.conversation,
    agent: signal.agent,
    provider: signal.provider,
    model: signal.model,
    route: signal.route,
    engineId: signal.engine,
    managedBy: signal.managedBy,
    expiresAtMs: signal.expiresAt === undefined ? undefined : world.wallAt(process, signal.expiresAt),
  });
}

function tell(world: World, process: string, turn: ProducerTurn, signal: TurnScenarioSignal): void {
  const wall = (atS: number | undefined): number | undefined =>
    atS === undefined ? undefined : world.wallAt(process, atS);
  switch (signal.type) {
    case 'turn.ended':
      turn.ended({ outcome: signal.outcome });
      return;
    case 'request.started':
      turn.requestStarted({
        id: signal.request,
        streaming: signal.streaming,
        promptTokens: signal.promptTokens,
        expiresAtMs: wall(signal.expiresAt),
      });
      return;
    case 'request.ended':
      turn.requestEnded(signal.request, {
        outcome: signal.outcome,
        retryable: signal.retryable,
        retryAtMs: wall(signal.retryAt),
      });
      return;
    case 'chunk':
      turn.chunk(signal.kind, signal.request);
      return;
    case 'agent.step':
      turn.step(signal.name);
      return;
    case 'lifecycle':
      turn.lifecycle(signal.name ?? 'lifecycle');
      return;
    case 'keepalive':
      turn.keepalive(signal.request);
      return;
    case 'prompt.read':
      turn.promptRead({ read: signal.read, total: signal.total, requestId: signal.request });
      return;
    case 'tool.started':
      turn.toolStarted({
        id: signal.call,
        name: signal.name,
        timeoutMs: signal.timeout === undefined ? undefined : signal.timeout * 1000,
      });
      return;
    case 'tool.progress':
      turn.toolProgress(signal.call);
      return;
    case 'tool.ended':
      turn.toolEnded(signal.call, signal.status);
      return;
    case 'compaction.started':
      turn.compactionStarted();
      return;
    case 'compaction.ended':
      turn.compactionEnded();
      return;
    case 'waiting.started':
      turn.waiting({ for: signal.for, untilMs: wall(signal.until), call: signal.call });
      return;
    case 'waiting.ended':
      turn.resumed(signal.call);
      return;
    case 'provider.error':
      turn.providerError({ type: signal.name, retryable: signal.retryable, retryAtMs: wall(signal.retryAt) });
      return;
    default:
      throw new Error(`no way to play ${signal.type}`);
  }
}

function coarseIdentity(world: World, process: string, signal: Of<'turn.started'>): TurnIdentity {
  return {
    ...(signal.parent === undefined ? {} : { parentId: signal.parent }),
    ...(signal.parentCall === undefined ? {} : { parentCallId: signal.parentCall }),
    ...(signal.conversation === undefined ? {} : { conversationId: signal.conversation }),
    ...(signal.agent === undefined ? {} : { agent: signal.agent }),
    ...(signal.provider === undefined ? {} : { provider: signal.provider }),
    ...(signal.model === undefined ? {} : { model: signal.model }),
    ...(signal.route === undefined ? {} : { route: signal.route }),
    ...(signal.engine === undefined ? {} : { engineId: signal.engine }),
    ...(signal.managedBy === undefined ? {} : { managedBy: signal.managedBy }),
    ...(signal.expiresAt === undefined ? {} : { expiresAtMs: world.wallAt(process, signal.expiresAt) }),
  };
}

function happeningOf(world: World, signal: TurnScenarioSignal): Happening | undefined {
  const inMs = (atS: number | undefined): number | undefined =>
    atS === undefined ? undefined : atS * 1000 - world.timeline.nowMs;
  const optional = <K extends string>(key: K, value: number | undefined): Partial<Record<K, number>> =>
    value === undefined ? {} : ({ [key]: value } as Partial<Record<K, number>>);
  switch (signal.type) {
    case 'turn.ended':
      return { name: 'ended', outcome: signal.outcome ?? 'completed' };
    case 'request.started':
      return {
        name: 'request_started',
        request: signal.request,
        streaming: signal.streaming ?? true,
        ...optional('promptTokens', signal.promptTokens),
        ...optional('expiresInMs', inMs(signal.expiresAt)),
      };
    case 'request.ended':
      return {
        name: 'request_ended',
        request: signal.request,
        outcome: signal.outcome ?? 'completed',
        ...(signal.retryable === undefined ? {} : { retryable: signal.retryable }),
        ...optional('retryInMs', inMs(signal.retryAt)),
      };
    case 'chunk':
      return {
        name: 'chunk',
        kind: signal.kind,
        ...(signal.request === undefined ? {} : { request: signal.request }),
      };
    case 'agent.step':
      return { name: 'step', ...(signal.name === undefined ? {} : { step: signal.name }) };
    case 'lifecycle':
      return { name: 'lifecycle', ...(signal.name === undefined ? {} : { event: signal.name }) };
    case 'keepalive':
      return { name: 'keepalive', ...(signal.request === undefined ? {} : { request: signal.request }) };
    case 'prompt.read':
      return { name: 'prompt_read', read: signal.read, ...optional('total', signal.total) };
    case 'tool.started':
      return {
        name: 'tool_started',
        call: signal.call,
        ...(signal.name === undefined ? {} : { tool: signal.name }),
        ...optional('timeoutMs', signal.timeout === undefined ? undefined : signal.timeout * 1000),
      };
    case 'tool.progress':
      return { name: 'tool_progress', call: signal.call };
    case 'tool.ended':
      return { name: 'tool_ended', call: signal.call, outcome: signal.status ?? 'completed' };
    case 'compaction.started':
      return { name: 'compaction_started' };
    case 'compaction.ended':
      return { name: 'compaction_ended' };
    case 'waiting.started':
      return {
        name: 'waiting',
        for: signal.for,
        ...optional('untilInMs', inMs(signal.until)),
        ...(signal.call === undefined ? {} : { call: signal.call }),
      };
    case 'waiting.ended':
      return { name: 'resumed' };
    case 'provider.error':
      return {
        name: 'provider_error',
        retryable: signal.retryable ?? false,
        ...(signal.name === undefined ? {} : { errorType: signal.name }),
        ...optional('retryInMs', inMs(signal.retryAt)),
      };
    default:
      return undefined;
  }
}
