import type { Happening } from '@turnwatch/plugin';

interface Call {
  readonly tool: string;
  readonly isSub: boolean;
}

/** Clocks of records that are written at about the same time, ms. */
const grainMs = 100;

/** What is known of one prompt of Claude Code, and what each of its events adds. */
export class ClaudeTurn {
  readonly id: string;
  over = false;
  startedMs = 0;
  /** Its logs name their trace. */
  traced = false;
  /** Its newest request has failed; the span of a turn that ends so says nothing of it. */
  failed = false;

  #requests = 0;
  /** Since when a request is open, by the wall clock. */
  #openMs: number | undefined;
  /** When the newest of its own tools ended, as long as no request is known to have followed. */
  #toolEndedMs: number | undefined;
  #completed = false;
  #calls = 0;
  readonly #tools = new Map<string, Call>();
  #bypasses = false;
  #isHeadless = false;

  constructor(id: string) {
    this.id = id;
  }

  /**
   * Where permissions are bypassed and no person is at the other end, nothing comes between the results of tools and the
   * next request. Each is told by some records alone.
   */
  asksNobody(bypasses: boolean, isHeadless: boolean): void {
    this.#bypasses ||= bypasses;
    this.#isHeadless ||= isHeadless;
  }

  /** The model is asked at once. Its answer is told when it is complete: nothing shows a first token. */
  prompted(atMs: number): readonly Happening[] {
    this.startedMs = atMs;
    return [{ name: 'started' }, this.#ask(atMs)];
  }

  /** @param askedMs when the request began, by the wall clock */
  requestCompleted(askedMs: number): readonly Happening[] {
    // Told late: its tools have ended already, and the model is asked again.
    const isEarlier = askedMs < (this.#openMs ?? this.#toolEndedMs ?? askedMs) - grainMs;
    const ended = isEarlier ? undefined : this.#answered('completed');
    if (!isEarlier) this.#toolEndedMs = undefined;
    this.#completed = this.#openMs === undefined && this.#toolEndedMs === undefined;
    this.failed = false;
    return [ended ?? { name: 'step' }, ...this.#next()];
  }

  /** Silence after an error is no sign that the user is idle. */
  requestFailed(): readonly Happening[] {
    const ended = this.#answered('failed');
    this.#toolEndedMs = undefined;
    this.#completed = false;
    this.failed = true;
    return [ended ?? { name: 'step' }];
  }

  /** An answer that asks for a tool has come, though it may be told later. */
  toolStarted(call: string | undefined, tool: string | undefined, isSub: boolean): readonly Happening[] {
    this.#completed = false;
    const ended = isSub ? undefined : this.#answered('completed');
    if (!isSub) this.#toolEndedMs = undefined;
    const id = call ?? `${tool ?? 'tool'}-${++this.#calls}`;
    this.#tools.set(id, { tool: tool ?? '', isSub });
    const started: Happening = { name: 'tool_started', call: id, ...(tool === undefined ? {} : { tool }) };
    return ended === undefined ? [started] : [ended, started];
  }

  /** A sub-agent has, or a person has decided. */
  worked(): readonly Happening[] {
    return [{ name: 'step' }, ...this.#next()];
  }

  /**
   * The model is asked again, or another call waits for approval.
   * @param atMs by the wall clock; undefined: it was the tool of a sub-agent
   */
  toolEnded(
    call: string | undefined,
    tool: string | undefined,
    success: boolean,
    atMs: number | undefined,
  ): readonly Happening[] {
    this.#completed = false;
    const id = call ?? [...this.#tools].find(([, open]) => open.tool === (tool ?? ''))?.[0];
    const open = id !== undefined && this.#tools.delete(id);
    if (atMs !== undefined) this.#toolEndedMs = atMs;
    const ended: readonly Happening[] =
      id === undefined ? [] : [{ name: 'tool_ended', call: id, outcome: success ? 'completed' : 'failed' }];
    return [...ended, ...(open ? [] : [{ name: 'step' } as const]), ...this.#next()];
  }

  end(outcome?: 'completed' | 'failed'): Extract<Happening, { name: 'ended' }> {
    this.over = true;
    return { name: 'ended', outcome: outcome ?? (this.#completed ? 'completed' : 'unknown') };
  }

  #ask(atMs: number): Happening {
    this.#requests++;
    this.#openMs = atMs;
    this.#toolEndedMs = undefined;
    return { name: 'request_started', request: `r${this.#requests}`, streaming: false };
  }

  #answered(outcome: 'completed' | 'failed'): Happening | undefined {
    if (this.#openMs === undefined) return undefined;
    this.#openMs = undefined;
    return { name: 'request_ended', request: `r${this.#requests}`, outcome };
  }

  /** What is open now, if nothing tells: a request that nobody holds up, or nothing. */
  #next(): readonly Happening[] {
    if (this.#openMs !== undefined || [...this.#tools.values()].some(({ isSub }) => !isSub)) return [];
    if (this.#toolEndedMs !== undefined && this.#bypasses && this.#isHeadless)
      return [this.#ask(this.#toolEndedMs)];
    return this.#tools.size > 0 ? [] : [{ name: 'idle' }];
  }
}
