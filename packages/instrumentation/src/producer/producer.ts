import { cleanId, cleanText } from '@turnwatch/protocol/wire';
import { AwakeClock, type AwakeClockOptions, type ProducerClock, type TurnClock } from './awake-clock.ts';
import { type Counters, noCounts } from './counters.ts';
import { deadline } from './deadline.ts';
import { identityOf } from './identity.ts';
import type { EngineReport, TurnOptions } from './options.ts';
import type {
  EndedTurn,
  Happening,
  HostClass,
  Origin,
  Outcome,
  Phase,
  ProcessSignal,
  Signal,
  TurnSignal,
} from './signal.ts';
import { ProducerTurn, type TurnHost } from './turn.ts';

export interface ProducerOptions extends AwakeClockOptions {
  /** Random at each start, unless pinned to one exclusive slot. */
  readonly processId: string;
  /** Random at each start. */
  readonly bootId: string;
  readonly clock: ProducerClock;
  /** A turn clock that somebody else advances. Default: one of its own on `clock`, advanced by `heartbeat`. */
  readonly turnClock?: TurnClock | undefined;
  /** `portable`: a host that may sleep (battery). Default `server`. */
  readonly hostClass?: HostClass | undefined;
  /** A worker thread beats, so that a blocked main loop is not silence. Default false. */
  readonly worker?: boolean | undefined;
  readonly service?: string | undefined;
  newId(): string;
  /** Takes what is to go out at once. The turn is there for its trace id. */
  readonly sink: (signal: Signal, turn?: ProducerTurn) => void;
  /** Hears of the longest time without activity in each phase of a turn, at the phase's end, ms on the turn clock. */
  readonly phaseEnded?: ((turn: ProducerTurn, phase: Phase, largestGapMs: number) => void) | undefined;
  /** Also send what the heartbeat carries anyway, one record each. Default false. */
  readonly everyEvent?: boolean | undefined;
  /** Default 10 000; a start beyond it is refused and counted. */
  readonly maxOpenTurns?: number | undefined;
}

export interface Beat {
  /** How long the main loop has been stuck, awake ms, as a worker thread sees it. Default 0. */
  readonly loopAgeMs?: number;
}

const endedKeptMs = 60_000;
/** Longer than any pause between two looks at an engine. */
const engineKeptMs = 60_000;
const maxEndedKept = 1000;
/** A host that was to sleep and has not after so long does not. */
const suspendsWithinMs = 30_000;
/** Longer than any healthy path takes, so that the proof of an expiry arrives before the turn is no longer listed. */
const expiredKeptMs = 10_000;

/**
 * The live state of all turns of one process, I/O-free: it is told what happens, hands immediate records to its sink and
 * gives those of a heartbeat. Every record of a turn carries the turn's whole state.
 */
export class Producer {
  readonly processId: string;
  readonly bootId: string;
  readonly clock: TurnClock;
  readonly counters: Counters = noCounts();
  /** A worker thread beats, as heartbeats say. */
  worker: boolean;
  readonly #options: ProducerOptions;
  readonly #host: TurnHost;
  readonly #turns: Map<string, ProducerTurn> = new Map();
  #ended: { readonly atMs: number; readonly turn: EndedTurn }[] = [];
  #seq = 0;
  #suspendsUntilMs = 0;
  #engineAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ProducerOptions) {
    this.#options = options;
    this.processId = cleanId(options.processId);
    this.bootId = cleanId(options.bootId);
    this.clock = options.turnClock ?? new AwakeClock(options.clock, options);
    this.worker = options.worker ?? false;
    this.#host = {
      clock: this.clock,
      counters: this.counters,
      everyEvent: options.everyEvent ?? false,
      newId: () => options.newId(),
      tell: (turn, happening) =>
        options.sink(this.#turnSignal(turn, happening, happening.name === 'started'), turn),
      closed: (turn, outcome) => this.#closed(turn, outcome),
      phaseEnded: options.phaseEnded,
    };
  }

  /** Turns that are open, those lately expired included. */
  get openCount(): number {
    return this.#turns.size;
  }

  /** An open turn. */
  turn(id: string): ProducerTurn | undefined {
    return this.#turns.get(id) ?? this.#turns.get(cleanId(id));
  }

  turns(): IterableIterator<ProducerTurn> {
    return this.#turns.values();
  }

  /** Nothing is open, and nothing ended so lately that a heartbeat would still have to say so. */
  get isIdle(): boolean {
    return (
      this.#turns.size === 0 &&
      this.#ended.length === 0 &&
      this.clock.awakeMs - this.#engineAtMs >= engineKeptMs
    );
  }

  /** Never throws: a refused turn is inert. */
  startTurn(options: TurnOptions = {}): ProducerTurn {
    const { clock } = this;
    const id = cleanId(options.id ?? '') || this.#options.newId();
    const deadlineMs = deadline(clock, { inMs: options.expiresInMs, atMs: options.expiresAtMs });
    const facts = {
      id,
      attempt: ordinal(options.attempt),
      incarnation: ordinal(options.incarnation),
      identity: identityOf(options, { clock, deadlineMs, service: this.#options.service }),
      deadlineMs,
      spanId: options.spanId,
    };
    const before = this.#turns.get(id);
    if (before !== undefined && takesOver(facts, before)) before.drop('unknown');
    if (this.#turns.has(id) || this.#turns.size >= (this.#options.maxOpenTurns ?? 10_000)) {
      this.counters.refusedTurns++;
      return new ProducerTurn(this.#host, facts, 'inert');
    }
    const turn = new ProducerTurn(this.#host, facts, 'open');
    this.#turns.set(id, turn);
    const { parentId, parentCallId } = facts.identity;
    if (parentId !== undefined && parentCallId !== undefined)
      this.turn(parentId)?.linkChild(parentCallId, id);
    this.#host.tell(turn, { name: 'started' });
    return turn;
  }

  /** A turn that does nothing, for code that runs outside of any. */
  inertTurn(): ProducerTurn {
    return new ProducerTurn(
      this.#host,
      { id: '', attempt: 1, incarnation: 1, identity: {}, deadlineMs: undefined, spanId: undefined },
      'inert',
    );
  }

  /** To be called once a second: advances the clock. @returns the records of one beat, the process's own first. */
  heartbeat({ loopAgeMs = 0 }: Beat = {}): Signal[] {
    const { wokeA } = this.clock;
    this.clock.tick(loopAgeMs);
    if (this.clock.wokeA !== wokeA) this.#suspendsUntilMs = 0;
    this.#forget();
    for (const turn of this.#turns.values()) turn.beat();
    const signals: Signal[] = [this.#processSignal('heartbeat', loopAgeMs)];
    for (const turn of this.#turns.values()) {
      signals.push(this.#turnSignal(turn, { name: 'heartbeat' }, turn.beats <= 3 || turn.beats % 10 === 0));
    }
    if (this.clock.awakeMs < this.#suspendsUntilMs) signals.push(this.#suspending());
    return signals;
  }

  /** The process is up. */
  started(): void {
    this.#options.sink(this.#processSignal('started', 0));
  }

  /** The host is about to sleep, and said so. Told again after each beat until it has, since a beat takes it back. */
  suspending(): void {
    this.#suspendsUntilMs = this.clock.awakeMs + suspendsWithinMs;
    this.#options.sink(this.#suspending());
  }

  /** The process is about to exit: turns still open are reported stale at once. */
  exiting(code?: number): void {
    this.#options.sink({
      type: 'process',
      name: 'exiting',
      origin: this.#origin(),
      ...(code === undefined ? {} : { code }),
    });
  }

  /** A process that this one supervises is gone. */
  exited(processId: string, end: { readonly code?: number; readonly signal?: string }): void {
    this.#options.sink({
      type: 'process',
      name: 'exited',
      origin: this.#origin(),
      exited: cleanId(processId),
      ...end,
    });
  }

  /** What a look at an engine showed. A process that looks at one beats as one with a turn does. */
  engine(engine: string, { state, queued = 0, slots = [] }: EngineReport): void {
    this.#engineAtMs = this.clock.awakeMs;
    this.#options.sink({
      type: 'engine',
      origin: this.#origin(),
      engine: cleanId(engine),
      state,
      queued,
      slots: slots.map((slot) => ({ ...slot })),
    });
  }

  /** Numbers of records go on beyond those that somebody else has used. */
  continueAfter(seq: number): void {
    this.#seq = Math.max(this.#seq, seq);
  }

  #suspending(): ProcessSignal {
    return { type: 'process', name: 'suspending', origin: this.#origin() };
  }

  #turnSignal(turn: ProducerTurn, happening: Happening, withIdentity: boolean): TurnSignal {
    return {
      type: 'turn',
      turn: turn.id,
      attempt: turn.attempt,
      incarnation: turn.incarnation,
      origin: this.#origin(),
      happening,
      ...(withIdentity ? { identity: turn.identity } : {}),
      report: turn.takeReport(),
    };
  }

  #processSignal(name: 'started' | 'heartbeat', loopAgeMs: number): ProcessSignal {
    const { wokeA } = this.clock;
    const { service } = this.#options;
    return {
      type: 'process',
      name,
      origin: this.#origin(),
      ...(wokeA === undefined ? {} : { wokeA: Math.round(wokeA) }),
      loopAgeMs: Math.round(loopAgeMs),
      worker: this.worker,
      hostClass: this.#options.hostClass ?? 'server',
      ...(service === undefined ? {} : { service: cleanText(service) }),
      openTurns: [...this.#turns.keys()],
      openCount: this.#turns.size,
      endedTurns: this.#ended.map(({ turn }) => turn),
    };
  }

  #origin(): Origin {
    return {
      process: this.processId,
      boot: this.bootId,
      seq: ++this.#seq,
      a: Math.round(this.clock.now()),
      wallMs: Math.round(this.clock.wallMs()),
    };
  }

  #closed(turn: ProducerTurn, outcome: Outcome): void {
    if (this.#turns.get(turn.id) === turn) this.#turns.delete(turn.id);
    this.#ended.push({
      atMs: this.clock.awakeMs,
      turn: { turn: turn.id, attempt: turn.attempt, outcome },
    });
    if (this.#ended.length > maxEndedKept) this.#ended.splice(0, this.#ended.length - maxEndedKept);
  }

  #forget(): void {
    const { awakeMs } = this.clock;
    for (const turn of this.#turns.values())
      if (turn.status === 'expired' && awakeMs - turn.expiredAtMs >= expiredKeptMs) turn.drop('cancelled');
    const oldest = this.#ended[0];
    if (oldest !== undefined && awakeMs - oldest.atMs >= endedKeptMs)
      this.#ended = this.#ended.filter(({ atMs }) => awakeMs - atMs < endedKeptMs);
  }
}

function ordinal(value: number | undefined): number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 1 ? value : 1;
}

/** A newer attempt closes the one before; a higher incarnation takes over. An expired one only makes room. */
function takesOver(next: { attempt: number; incarnation: number }, before: ProducerTurn): boolean {
  if (next.attempt !== before.attempt) return next.attempt > before.attempt;
  return next.incarnation > before.incarnation;
}
