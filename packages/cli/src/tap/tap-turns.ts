import { startTurn, type ToolHandle, type Turn } from '@turnwatch/instrumentation';
import type { ObservedRequest } from '@turnwatch/instrumentation/framework';
import type { TurnKey } from './turn-key.ts';

export interface TapTurnsOptions {
  readonly provider?: string | undefined;
  readonly route: 'api' | 'local';
  readonly engineId?: string | undefined;
  /** Whose turns they are, where their headers do not say. */
  readonly parentId?: string | undefined;
  readonly agent?: string | undefined;
  /**
   * People approve calls and stop turns: what the client does between two requests is not judged, and a request
   * that fails or is given up has ended its turn.
   */
  readonly attended: boolean;
  /** Monotonic, ms. */
  readonly monoMs: () => number;
}

interface Watched {
  readonly turn: Turn;
  /** Beyond its open requests. */
  lasts: boolean;
  readonly thread: string | undefined;
  open: number;
  /** An answer to the newest request, or to one beside it, asks for a tool. */
  asksForTool: boolean;
  /** The client runs what the model asked for. */
  call: ToolHandle | undefined;
  waits: boolean;
  quietSinceMs: number;
}

interface Asked {
  readonly streaming: boolean;
  readonly model?: string | undefined;
}

/** A conversation that nobody goes on with is let go of then: its next request is a new turn. */
const forgottenAfterMs = 6 * 60 * 60 * 1000;
const mostTurns = 5000;

/**
 * The turns behind a tap, which sees requests alone. A turn lasts from a request to the answer that asks for no tool; in
 * between the client runs what the model asked for, which is a tool call to whoever judges. Where no header ties requests
 * together each is a turn of its own.
 */
export class TapTurns {
  readonly #options: TapTurnsOptions;
  readonly #turns: Map<string, Watched> = new Map();
  /** How often a turn id came back after its end. */
  readonly #attempts: Map<string, number> = new Map();
  #asides = 0;

  constructor(options: TapTurnsOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#turns.size;
  }

  /** A request of that turn is on its way. */
  request(key: TurnKey, asked: Asked): ObservedRequest {
    this.forget();
    const known = this.#turns.get(key.key);
    const own = known === undefined && key.aside === true ? this.#onItsOwn(key) : key;
    const watched = known ?? this.#start(own, asked);
    watched.open++;
    watched.asksForTool = false;
    watched.call?.end();
    watched.call = undefined;
    if (watched.waits) watched.turn.resumed();
    watched.waits = false;
    const request = watched.turn.request({ streaming: asked.streaming, model: asked.model });
    let asksForTool = false;
    return {
      chunk(kind) {
        if (kind === 'tool_args') asksForTool = true;
        request.chunk(kind);
      },
      keepalive: () => request.keepalive(),
      lifecycle: (event) => request.lifecycle(event),
      promptRead: (read) => request.promptRead(read),
      end: (end) => {
        request.end(end);
        watched.open--;
        watched.quietSinceMs = this.#options.monoMs();
        const outcome = end.outcome ?? 'completed';
        // Titles and the like are asked for beside the turn's own request, and may be answered after it.
        if (outcome === 'completed') watched.asksForTool ||= asksForTool;
        this.#after(own, watched, outcome);
      },
    };
  }

  /** The tap goes away, and its clients do not: nobody knows how their turns go on. */
  endAll(): void {
    for (const { turn } of this.#turns.values()) turn.end({ outcome: 'unknown' });
    this.#turns.clear();
  }

  #start(key: TurnKey, { model }: Asked): Watched {
    const { provider, route, engineId, attended: _attended, ...given } = this.#options;
    const { turnId, thread } = key;
    this.#endBefore(thread);
    const attempt = turnId === undefined ? 1 : (this.#attempts.get(turnId) ?? 0) + 1;
    if (turnId !== undefined) this.#remember(turnId, attempt);
    const turn = startTurn({
      id: turnId,
      attempt,
      parentId: key.parentId ?? given.parentId,
      agent: given.agent ?? key.agent,
      conversationId: key.conversationId,
      traceparent: key.traceparent,
      provider,
      model,
      route,
      engineId,
    });
    const watched: Watched = {
      turn,
      lasts: key.lasts,
      thread,
      open: 0,
      asksForTool: false,
      call: undefined,
      waits: false,
      quietSinceMs: this.#options.monoMs(),
    };
    this.#turns.set(key.key, watched);
    return watched;
  }

  /** A compaction before the first request of a turn or after its last one: a turn that ends with it. */
  #onItsOwn({ turnId: _turnId, thread: _thread, ...rest }: TurnKey): TurnKey {
    return { ...rest, key: `aside ${this.#asides++}`, lasts: false };
  }

  /** Somebody has stopped the turn before and asks for something else. Its request may be given up only after that. */
  #endBefore(thread: string | undefined): void {
    if (thread === undefined) return;
    for (const [key, watched] of this.#turns) {
      if (watched.thread !== thread) continue;
      watched.lasts = false;
      if (watched.open > 0) continue;
      watched.turn.end({ outcome: 'cancelled' });
      this.#turns.delete(key);
    }
  }

  #after(
    { key, aside }: TurnKey,
    watched: Watched,
    outcome: 'completed' | 'failed' | 'cancelled' | 'unknown',
  ): void {
    if (watched.open > 0 || this.#turns.get(key) !== watched) return;
    const { attended } = this.#options;
    const isAnswered = outcome === 'completed' && !watched.asksForTool && aside !== true;
    const isOver = !watched.lasts || isAnswered || (outcome !== 'completed' && attended);
    if (isOver) {
      watched.turn.end({ outcome });
      this.#turns.delete(key);
    } else if (outcome === 'completed' && attended) {
      watched.turn.waiting({ for: 'approval' });
      watched.waits = true;
    } else if (outcome === 'completed' && watched.asksForTool)
      watched.call = watched.turn.tool({ name: 'client' });
    // A request that failed, was given up or only compacted the history is the client's to handle: its own code runs now.
  }

  /** Lets go of turns that nobody has gone on with for six hours. To be called now and then. */
  forget(): void {
    const nowMs = this.#options.monoMs();
    for (const [key, { open, quietSinceMs, turn }] of this.#turns) {
      const isFull = this.#turns.size >= mostTurns;
      if (open > 0 || !(isFull || nowMs - quietSinceMs >= forgottenAfterMs)) continue;
      turn.end({ outcome: 'unknown' });
      this.#turns.delete(key);
    }
  }

  #remember(turnId: string, attempt: number): void {
    this.#attempts.delete(turnId);
    this.#attempts.set(turnId, attempt);
    for (const oldest of this.#attempts.keys()) {
      if (this.#attempts.size <= mostTurns) break;
      this.#attempts.delete(oldest);
    }
  }
}
