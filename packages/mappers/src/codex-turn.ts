import type { ContentKind, Happening, OpenTurn } from '@turnwatch/plugin';

/** Where in its trace a turn is. */
interface CodexPlace {
  /** Its conversation, where it is a turn of a sub-agent: these are in the trace of their parent. */
  readonly subAgent?: string | undefined;
  readonly parentId?: string | undefined;
  /** Of its conversation in this trace, from 1: whoever starts Codex may give it a trace for all of its turns. */
  readonly round?: number;
}

/** What is known of one turn of Codex CLI, and what each of its records adds. */
export class CodexTurn {
  readonly id: string;
  readonly trace: string;
  readonly parentId: string | undefined;
  readonly place: CodexPlace;
  /** It has ended: late records are not its activity. */
  over = false;
  /** When, by the wall clock of Codex. */
  endedMs: number = Number.POSITIVE_INFINITY;
  /** Its task is over; how it ended is told by another span, or by the logs that are still to come. */
  taskOver = false;

  #requests = 0;
  #promptedMs = Number.NEGATIVE_INFINITY;
  #streaming = true;
  /** A request is open, or must be by now. */
  #open = false;
  /** The provider has answered the open request. */
  #accepted = false;
  /** The last request completed. */
  #completed = false;
  /** The last request failed, and nothing has come of the one after it. */
  #failing = false;
  /** Calls that the present response asks for, and those that have been answered. */
  #asked = 0;
  #answered = 0;
  readonly #calls = new Set<string>();

  constructor(trace: string, { subAgent, parentId, round = 1 }: CodexPlace = {}) {
    this.trace = trace;
    this.place = { subAgent, parentId, round };
    const root = `codex-${trace}`;
    this.id = `${subAgent === undefined ? root : `${root}-${subAgent}`}${round > 1 ? `~${round}` : ''}`;
    this.parentId = subAgent === undefined ? undefined : (parentId ?? root);
  }

  /** As the detector knows it from before a restart; undefined: it is none of ours. */
  static resumed({ turn: id, identity: { parentId }, requests, calls }: OpenTurn): CodexTurn | undefined {
    const [, trace, subAgent, round = 1] = /^codex-([0-9a-f]{32})(?:-(.+?))?(?:~(\d+))?$/.exec(id) ?? [];
    if (trace === undefined) return undefined;
    const turn = new CodexTurn(trace, { subAgent, parentId, round: Number(round) });
    turn.#requests = Math.max(1, ...requests.map((id) => Number(/^r(\d+)$/.exec(id)?.[1] ?? 1)));
    turn.#open = requests.length > 0;
    turn.#accepted = turn.#open;
    for (const call of calls) turn.#calls.add(call);
    return turn;
  }

  prompted(atMs: number): readonly Happening[] {
    this.#promptedMs = atMs;
    // A prompt while the turn runs steers it; after its answer it is the next one, and the end of this one is still to be told.
    if (this.#requests > 0) return [{ name: 'step' }, ...(this.answered ? this.#request() : [])];
    return [{ name: 'started' }, ...this.#request()];
  }

  /** Something that was over then was not the newest of it. */
  goesOnAfter(endMs: number): boolean {
    return this.#promptedMs > endMs;
  }

  /** The next one of its conversation in this trace. */
  next(): CodexTurn {
    return new CodexTurn(this.trace, { ...this.place, round: (this.place.round ?? 1) + 1 });
  }

  /** The headers have come: the request is under way, whoever had guessed so before. */
  requestAccepted(): readonly Happening[] {
    const inferred = this.#open && !this.#accepted;
    // One at a time: of one whose end got lost nothing more comes, and it must not stand open for good.
    const lost: readonly Happening[] = this.#open
      ? [{ name: 'request_ended', request: this.#id, outcome: 'unknown' }]
      : [];
    const happenings = inferred ? [this.#begun()] : [...lost, ...this.#request()];
    this.#accepted = true;
    this.#failing = false;
    return happenings;
  }

  /** Over a WebSocket nothing is logged of the stream: the answer counts as one piece. */
  requestOverSocket(): readonly Happening[] {
    return [{ name: 'idle' }, ...this.#request(false)];
  }

  /** Codex tries again, at once or within seconds; where it gives up, nothing more is heard of it. */
  requestFailed(): readonly Happening[] {
    const ended: readonly Happening[] = this.#open
      ? [{ name: 'request_ended', request: this.#id, outcome: 'failed' }]
      : [];
    const again = this.#request();
    this.#failing = true;
    return [...ended, ...again];
  }

  /** A stream that broke off is told of twice, the second time as the end that it did not have. */
  streamFailed(): readonly Happening[] {
    return this.#open && !this.#accepted ? [] : this.requestFailed();
  }

  streamed(kind: string): readonly Happening[] {
    if (kind === 'response.completed') return this.#responseCompleted();
    if (kind === 'response.failed' || kind === 'response.incomplete' || kind === 'error')
      return this.streamFailed();
    if (kind === 'response.function_call_arguments.done' || kind === 'response.custom_tool_call_input.done')
      this.#asked++;
    if (!this.#open) return [];
    const content = contentOf(kind);
    if (content === undefined) return [{ name: 'lifecycle' }];
    this.#accepted = true;
    return [{ name: 'chunk', kind: content, request: this.#id }];
  }

  firstToken(): readonly Happening[] {
    return this.#open && !this.#accepted ? this.requestAccepted() : [];
  }

  toolStarted(call: string, tool: string | undefined): readonly Happening[] {
    this.#calls.add(call);
    return [{ name: 'tool_started', call, ...(tool === undefined ? {} : { tool }) }];
  }

  toolDenied(): readonly Happening[] {
    this.#answered++;
    return [{ name: 'step' }, ...this.#afterCall()];
  }

  toolEnded(call: string, success: boolean): readonly Happening[] {
    this.#answered++;
    // A call from before the mapper's own start is known to the detector alone.
    const unknown: readonly Happening[] = this.#calls.delete(call) ? [] : [{ name: 'step' }];
    return [
      { name: 'tool_ended', call, outcome: success ? 'completed' : 'failed' },
      ...unknown,
      ...this.#afterCall(),
    ];
  }

  /** What a new prompt says of this turn, or the answer after its task was over. */
  end(atMs: number): Extract<Happening, { name: 'ended' }> {
    this.over = true;
    this.endedMs = atMs;
    return { name: 'ended', outcome: this.#completed && !this.#open ? 'completed' : 'unknown' };
  }

  /** The model has answered and asks for nothing more. */
  get answered(): boolean {
    return this.#completed && !this.#open && this.#asked === 0 && this.#calls.size === 0;
  }

  get failing(): boolean {
    return this.#failing;
  }

  get #id(): string {
    return `r${this.#requests}`;
  }

  #request(streaming = true): readonly Happening[] {
    this.#requests++;
    this.#streaming = streaming;
    this.#open = true;
    this.#accepted = false;
    this.#completed = false;
    this.#failing = false;
    this.#asked = 0;
    this.#answered = 0;
    return [this.#begun()];
  }

  #begun(): Happening {
    return { name: 'request_started', request: this.#id, streaming: this.#streaming };
  }

  /** It comes twice, the second time with the token counts. */
  #responseCompleted(): readonly Happening[] {
    if (!this.#open) return this.#requests === 0 ? [{ name: 'idle' }] : [];
    this.#open = false;
    this.#completed = true;
    return [{ name: 'request_ended', request: this.#id, outcome: 'completed' }, ...this.#next()];
  }

  #afterCall(): readonly Happening[] {
    return this.#open ? [] : this.#next();
  }

  /**
   * Between requests: calls run, or all are answered and the model is asked again. Otherwise the turn has ended or a call
   * waits for approval, and nothing tells which.
   */
  #next(): readonly Happening[] {
    if (this.#calls.size > 0) return [];
    if (this.#answered > 0 && this.#answered >= this.#asked) return this.#request();
    return [{ name: 'idle' }];
  }
}

const contents: readonly (readonly [RegExp, ContentKind])[] = [
  [/^response\.reasoning.*\.delta$/, 'reasoning'],
  [
    /^response\.(function_call_arguments|custom_tool_call_input|mcp_call_arguments|.*_call.*)\.delta$/,
    'tool_args',
  ],
  [/\.delta$/, 'text'],
];

/** Created, added and done tell of the stream and hold nothing of the model. */
function contentOf(kind: string): ContentKind | undefined {
  return contents.find(([pattern]) => pattern.test(kind))?.[1];
}
