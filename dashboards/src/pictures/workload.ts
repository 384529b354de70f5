import type { ScriptedTurns } from '../../../packages/instrumentation/fixtures/scripted-turns.ts';
import type { Chance } from './chance.ts';
import type { EngineModel } from './engine-model.ts';

export interface Worker {
  readonly provider: string;
  readonly model: string;
  readonly parentId: string;
  readonly route?: 'local';
}

export interface World {
  readonly chance: Chance;
  readonly engine: EngineModel;
  /** Share of requests of this provider that stop dead just now. */
  stalls(provider: string): number;
}

type Turn = ReturnType<ScriptedTurns['start']>;
type Request = ReturnType<Turn['request']>;
/** Yields how many ms pass before it goes on. */
type Work = Generator<number, void>;

const minute = 60_000;

/** One turn after another, for ever. */
export function* work(turns: ScriptedTurns, worker: Worker, world: World): Work {
  const { chance } = world;
  yield chance.between(0, minute);
  for (;;) {
    const turn = turns.start({ ...worker, expiresInMs: (chance.is(0.04) ? 4 : 45) * minute });
    const requests = Math.ceil(chance.between(1, 5));
    for (let left = requests; left > 0; left--) {
      yield* request(turn, worker, world);
      yield chance.between(20, 400);
      if (left > 1) yield* between(turn, chance);
    }
    turn.end();
    yield chance.tail(2000, 60_000);
  }
}

/** A tool, sometimes a person. */
function* between(turn: Turn, chance: Chance): Work {
  const tool = turn.tool({ name: 'run_tests' });
  yield chance.tail(1500, 90_000);
  tool.end();
  yield chance.between(20, 300);
  if (!chance.is(0.07)) return;
  turn.waiting({ for: 'approval' });
  yield chance.between(20_000, 3 * minute);
  turn.resumed();
}

function* request(turn: Turn, worker: Worker, world: World): Work {
  const { chance } = world;
  const inputTokens = Math.round(chance.tail(2000, 30_000));
  const sent = turn.request({ promptTokens: inputTokens });
  if (worker.route === 'local') yield* local(sent, inputTokens, world);
  else {
    yield chance.tail(400, 9000);
    yield* stream(sent, worker, world);
    if (chance.is(world.stalls(worker.provider))) {
      // A few go on after the verdict, and it was wrong; the others are given up and made again.
      if (chance.is(0.05)) yield chance.between(2.1, 2.4) * minute;
      else {
        yield chance.between(4, 8) * minute;
        sent.end({ outcome: 'cancelled', usage: { inputTokens } });
        yield 500;
        const again = turn.request({ promptTokens: inputTokens });
        yield chance.tail(400, 9000);
        yield* stream(again, worker, world);
        again.end({ usage: { inputTokens } });
        return;
      }
    }
    yield* stream(sent, worker, world);
  }
  sent.end({ usage: { inputTokens } });
}

function* stream(sent: Request, { provider }: Worker, { chance }: World): Work {
  const chunks = Math.ceil(chance.tail(8, 120));
  for (let chunk = 0; chunk < chunks; chunk++) {
    sent.chunk(provider === 'openai' && chunk < chunks / 3 ? 'reasoning' : 'text');
    yield chance.tail(120, 4000);
  }
}

/** Waits for a slot, reads its prompt, generates; now and then its client loses patience and all is read again. */
function* local(sent: Request, tokens: number, { chance, engine }: World): Work {
  let slot = engine.take();
  if (slot === undefined) {
    engine.queued++;
    while (slot === undefined) {
      yield 500;
      slot = engine.take();
    }
    engine.queued--;
  }
  for (let read = 0; read < tokens; ) {
    yield 1000;
    read = Math.min(tokens, read + engine.read(slot, 1000));
    sent.promptRead({ read, total: tokens });
  }
  const chunks = Math.ceil(chance.tail(20, 150));
  for (let chunk = 0; chunk < chunks; chunk++) {
    sent.chunk('text');
    yield 400;
    engine.generate(slot, 400);
  }
  engine.leave(slot);
}
