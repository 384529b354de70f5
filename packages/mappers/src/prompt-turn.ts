import type { Happening } from '@turnwatch/plugin';

/**
 * A turn that is told by its requests as they begin and end, and by its tool calls when they have ended. Between requests
 * nothing tells whether it has ended, runs a tool or waits for a person.
 */
export class PromptTurn {
  readonly id: string;
  /** It has ended: late records are not its activity. */
  over = false;

  #started = false;
  #completed = false;
  /** Open requests and what they are for. */
  readonly #open = new Map<string, string>();

  constructor(id: string) {
    this.id = id;
  }

  prompted(): readonly Happening[] {
    if (this.#started) return [{ name: 'step' }];
    this.#started = true;
    return [{ name: 'started' }];
  }

  requestStarted(request: string, role: string): readonly Happening[] {
    this.#started = true;
    this.#completed = false;
    this.#open.set(request, role);
    return [{ name: 'request_started', request, streaming: true }];
  }

  requestCompleted(request: string | undefined, role: string): readonly Happening[] {
    const ended = this.#close(request, role);
    this.#completed = true;
    return [
      ...(ended === undefined
        ? [{ name: 'step' } as const]
        : [{ name: 'request_ended', request: ended, outcome: 'completed' } as const]),
      ...this.#idle(),
    ];
  }

  /** What becomes of it the next record tells: another try, or nothing, which is no sign that the user is idle. */
  requestFailed(request: string | undefined, role: string): readonly Happening[] {
    const ended = this.#close(request, role);
    this.#completed = false;
    return ended === undefined
      ? [{ name: 'step' }]
      : [{ name: 'request_ended', request: ended, outcome: 'failed' }];
  }

  requestCancelled(request: string | undefined, role: string): readonly Happening[] {
    const ended = this.#close(request, role);
    return [
      ...(ended === undefined
        ? []
        : [{ name: 'request_ended', request: ended, outcome: 'cancelled' } as const]),
      ...this.#idle(),
    ];
  }

  retries(inMs: number | undefined): readonly Happening[] {
    return [{ name: 'waiting', for: 'retry', ...(inMs === undefined ? {} : { untilInMs: inMs }) }];
  }

  /** Another may still run, or wait for approval. */
  toolEnded(): readonly Happening[] {
    this.#completed = false;
    return [{ name: 'step' }, ...this.#idle()];
  }

  end(outcome?: 'completed' | 'failed' | 'cancelled'): Extract<Happening, { name: 'ended' }> {
    this.over = true;
    return {
      name: 'ended',
      outcome: outcome ?? (this.#completed && this.#open.size === 0 ? 'completed' : 'unknown'),
    };
  }

  #idle(): readonly Happening[] {
    return this.#open.size === 0 ? [{ name: 'idle' }] : [];
  }

  /** The request by its id; where the end does not name it, the newest of its role, else the newest. */
  #close(request: string | undefined, role: string): string | undefined {
    const id =
      request !== undefined && this.#open.has(request)
        ? request
        : ([...this.#open].findLast(([, openRole]) => openRole === role) ?? [...this.#open].at(-1))?.[0];
    if (id !== undefined) this.#open.delete(id);
    return id;
  }
}
