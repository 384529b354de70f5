import type { Happening } from '@turnwatch/plugin';

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
  #open = false;
  #completed = false;
  #calls = 0;
  /** Open calls by id, with the name of their tool. */
  readonly #tools = new Map<string, string>();

  constructor(id: string) {
    this.id = id;
  }

  /** The model is asked at once. Its answer is told when it is complete: nothing shows a first token. */
  prompted(atMs: number): readonly Happening[] {
    this.startedMs = atMs;
    this.#requests++;
    this.#open = true;
    return [{ name: 'started' }, { name: 'request_started', request: this.#id, streaming: false }];
  }

  requestCompleted(): readonly Happening[] {
    const ended: Happening = this.#open
      ? { name: 'request_ended', request: this.#id, outcome: 'completed' }
      : { name: 'step' };
    this.#open = false;
    this.#completed = true;
    this.failed = false;
    return [ended, ...this.#idle()];
  }

  /** Silence after an error is no sign that the user is idle. */
  requestFailed(): readonly Happening[] {
    const ended: Happening = this.#open
      ? { name: 'request_ended', request: this.#id, outcome: 'failed' }
      : { name: 'step' };
    this.#open = false;
    this.#completed = false;
    this.failed = true;
    return [ended];
  }

  toolStarted(call: string | undefined, tool: string | undefined): readonly Happening[] {
    this.#completed = false;
    const id = call ?? `${tool ?? 'tool'}-${++this.#calls}`;
    this.#tools.set(id, tool ?? '');
    return [{ name: 'tool_started', call: id, ...(tool === undefined ? {} : { tool }) }];
  }

  toolDenied(): readonly Happening[] {
    return [{ name: 'step' }, ...this.#idle()];
  }

  /** The model is asked again, or another call waits for approval: nothing tells which. */
  toolEnded(call: string | undefined, tool: string | undefined, success: boolean): readonly Happening[] {
    this.#completed = false;
    const id = call ?? [...this.#tools].find(([, name]) => name === (tool ?? ''))?.[0];
    const open = id !== undefined && this.#tools.delete(id);
    const ended: readonly Happening[] =
      id === undefined ? [] : [{ name: 'tool_ended', call: id, outcome: success ? 'completed' : 'failed' }];
    return [...ended, ...(open ? [] : [{ name: 'step' } as const]), ...this.#idle()];
  }

  end(outcome?: 'completed' | 'failed'): Extract<Happening, { name: 'ended' }> {
    this.over = true;
    return { name: 'ended', outcome: outcome ?? (this.#completed ? 'completed' : 'unknown') };
  }

  get #id(): string {
    return `r${this.#requests}`;
  }

  #idle(): readonly Happening[] {
    return this.#tools.size > 0 || this.#open ? [] : [{ name: 'idle' }];
  }
}
