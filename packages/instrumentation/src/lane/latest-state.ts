import type {
  EndedTurn,
  Origin,
  ProcessSignal,
  Signal,
  TurnIdentity,
  TurnReport,
  TurnSignal,
} from '../producer/signal.ts';
import type { ProcessBeat } from './message.ts';

/** A record on its way, with the trace it belongs to. */
export interface Outgoing {
  readonly signal: Signal;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
}

export interface Instants {
  readonly a: number;
  readonly bootMs: number;
  readonly wallMs: number;
  readonly wokeA: number | undefined;
}

interface Tracked {
  signal: TurnSignal;
  identity: TurnIdentity | undefined;
  spanId: string | undefined;
  /** When the state was taken, on the boot clock: times left count from there. */
  takenBootMs: number;
  dirty: boolean;
  sent: number;
}

const mostNews = 5000;
const mostLastWords = 16;
/**
 * The newest state of the process and of each open turn, as the main thread told it, and what has not been sent of it.
 * There is no queue of states: a newer one takes the place of the older, so that an outage of any length costs nothing
 * but its own time. Only the worker numbers records, so that numbers grow over both threads.
 */
export class LatestState {
  #process: ProcessBeat | undefined;
  #processDirty = false;
  #active = false;
  readonly #turns: Map<string, Tracked> = new Map();
  #news: Outgoing[] = [];
  /** What ends or interrupts the process: state that follows it would say that it goes on. */
  #lastWords: Outgoing[] = [];
  /** Ended since the last beat of the main thread. */
  #ended: EndedTurn[] = [];
  #seq = 0;

  get seq(): number {
    return this.#seq;
  }

  /** Something waits to be sent. */
  get pending(): boolean {
    if (this.#news.length > 0 || this.#lastWords.length > 0 || this.#processDirty) return true;
    for (const { dirty } of this.#turns.values()) if (dirty) return true;
    return false;
  }

  takeNews(signal: Signal, spanId: string | undefined, bootMs: number): void {
    this.#active = true;
    if (signal.type === 'engine') {
      // Only the newest look at each engine is worth sending: what moved since the one before, moved still.
      this.#news = this.#news.filter(
        (one) => one.signal.type !== 'engine' || one.signal.engine !== signal.engine,
      );
      this.#push({ signal });
      return;
    }
    if (signal.type === 'process') {
      if (signal.name === 'started' || signal.name === 'heartbeat') this.#process = signal;
      if (isLastWord(signal)) this.#lastWords = [...this.#lastWords, { signal }].slice(-mostLastWords);
      else this.#push({ signal });
      return;
    }
    const { turn, attempt, happening } = signal;
    const before = this.#turns.get(turn);
    if (happening.name !== 'ended') this.#track(signal, bootMs, spanId);
    else if (before === undefined || before.signal.attempt === attempt) {
      this.#turns.delete(turn);
      this.#ended.push({ turn, attempt, outcome: happening.outcome });
    }
    const identity = signal.identity ?? before?.identity;
    this.#push({ signal, traceId: identity?.traceId, spanId: spanId ?? before?.spanId });
  }

  takeBeat(process: ProcessBeat, turns: readonly TurnSignal[], bootMs: number): void {
    this.#active = true;
    this.#process = process;
    this.#processDirty = true;
    this.#ended = [];
    const listed = new Set<string>();
    for (const signal of turns) {
      listed.add(signal.turn);
      this.#track(signal, bootMs, undefined).dirty = true;
    }
    for (const id of this.#turns.keys()) if (!listed.has(id)) this.#turns.delete(id);
  }

  /** Nothing is open: an idle process sends nothing. What is on its way still goes. */
  rest(): void {
    this.#active = false;
    this.#turns.clear();
    this.#ended = [];
  }

  /**
   * A beat that the main thread owes: the last known state again, at a newer instant. Silence is proven by it, or, where
   * the turn clock stands still, that the process lives.
   */
  beatAgain(at: Instants, loopAgeMs: number): void {
    const process = this.#process;
    if (!this.#active || process === undefined) return;
    this.#process = {
      ...process,
      name: 'heartbeat',
      origin: originAt(process.origin, at),
      loopAgeMs: Math.round(loopAgeMs),
      ...(at.wokeA === undefined ? {} : { wokeA: Math.round(at.wokeA) }),
    };
    this.#processDirty = true;
    for (const tracked of this.#turns.values()) {
      const passedMs = at.bootMs - tracked.takenBootMs;
      tracked.signal = {
        ...tracked.signal,
        origin: originAt(tracked.signal.origin, at),
        report: laterReport(tracked.signal.report, passedMs, tracked.signal.origin.a, at.wokeA),
      };
      tracked.takenBootMs = at.bootMs;
      tracked.dirty = true;
    }
  }

  /** Numbers and hands out what is to be sent, `most` records: news first, since state that follows is newer. */
  take(most: number): Outgoing[] {
    const out = this.#news.splice(0, most).map((one) => this.#numbered(one));
    if (this.#processDirty && this.#process !== undefined && out.length < most) {
      this.#processDirty = false;
      out.push(this.#numbered({ signal: this.#listed(this.#process) }));
    }
    for (const tracked of this.#turns.values()) {
      if (!tracked.dirty) continue;
      if (out.length >= most) return out;
      tracked.dirty = false;
      out.push(this.#heartbeat(tracked));
    }
    for (const one of this.#lastWords.splice(0, most - out.length)) out.push(this.#numbered(one));
    return out;
  }

  /**
   * The beat with the turns that are open as it is numbered: news that were told after it have lower numbers, and a
   * newer list without a turn proves its end.
   */
  #listed(process: ProcessBeat): ProcessBeat {
    // A list that the main thread had cut stays as it is: it proves no end.
    const known = process.openCount === process.openTurns.length;
    return {
      ...process,
      name: 'heartbeat',
      ...(known ? { openTurns: [...this.#turns.keys()], openCount: this.#turns.size } : {}),
      endedTurns: [...process.endedTurns, ...this.#ended],
    };
  }

  /** The export of these failed: the newest state of what they told goes again, and news that no state holds. */
  failed(batch: readonly Outgoing[]): void {
    const news: Outgoing[] = [];
    const lastWords: Outgoing[] = [];
    for (const one of batch) {
      const { signal } = one;
      // The next look comes soon, and says all that this one did.
      if (signal.type === 'engine') continue;
      if (signal.type === 'process') {
        if (isLastWord(signal)) lastWords.push(one);
        else if (signal.name === 'exited') news.push(one);
        else this.#processDirty = this.#active;
        continue;
      }
      if (signal.happening.name === 'ended') news.push(one);
      const tracked = this.#turns.get(signal.turn);
      if (tracked === undefined) continue;
      tracked.dirty = true;
      tracked.sent = 0;
    }
    this.#news = [...news, ...this.#news].slice(-mostNews);
    this.#lastWords = [...lastWords, ...this.#lastWords].slice(-mostLastWords);
  }

  #heartbeat(tracked: Tracked): Outgoing {
    const { identity, spanId, sent } = tracked;
    const { identity: _given, ...signal } = tracked.signal;
    tracked.sent++;
    const tellsIdentity = identity !== undefined && (sent < 3 || sent % 10 === 0);
    return {
      signal: {
        ...signal,
        origin: { ...signal.origin, seq: ++this.#seq },
        happening: { name: 'heartbeat' },
        ...(tellsIdentity ? { identity } : {}),
      },
      traceId: identity?.traceId,
      spanId,
    };
  }

  #track(signal: TurnSignal, bootMs: number, spanId: string | undefined): Tracked {
    let tracked = this.#turns.get(signal.turn);
    if (tracked === undefined || tracked.signal.attempt !== signal.attempt) {
      tracked = { signal, identity: undefined, spanId, takenBootMs: bootMs, dirty: false, sent: 0 };
      this.#turns.set(signal.turn, tracked);
    }
    tracked.signal = signal;
    tracked.takenBootMs = bootMs;
    tracked.identity = signal.identity ?? tracked.identity;
    tracked.spanId = spanId ?? tracked.spanId;
    return tracked;
  }

  #push(one: Outgoing): void {
    this.#news.push(one);
    if (this.#news.length > mostNews) this.#news.shift();
  }

  #numbered({ signal, ...link }: Outgoing): Outgoing {
    return { ...link, signal: { ...signal, origin: { ...signal.origin, seq: ++this.#seq } } };
  }
}

function isLastWord({ name }: ProcessSignal): boolean {
  return name === 'exiting' || name === 'suspending';
}

function originAt(origin: Origin, { a, wallMs }: Instants): Origin {
  return { ...origin, a: Math.max(origin.a, Math.round(a)), wallMs: Math.round(wallMs) };
}

function laterReport(
  report: TurnReport,
  passedMs: number,
  takenA: number,
  wokeA: number | undefined,
): TurnReport {
  const { firstA: _told, expiresInMs, waiting, ...rest } = report;
  const later = (leftMs: number): number => Math.round(leftMs - passedMs);
  return {
    ...rest,
    ...(expiresInMs === undefined ? {} : { expiresInMs: later(expiresInMs) }),
    ...(wokeA !== undefined && wokeA > takenA ? { wokeA: Math.round(wokeA) } : {}),
    requests: report.requests.map((request) =>
      request.expiresInMs === undefined ? request : { ...request, expiresInMs: later(request.expiresInMs) },
    ),
    ...(waiting === undefined
      ? {}
      : {
          waiting:
            waiting.untilInMs === undefined ? waiting : { ...waiting, untilInMs: later(waiting.untilInMs) },
        }),
  };
}
