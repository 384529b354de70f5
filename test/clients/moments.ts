import type { Answer, Dialect, ModelRequest } from '@turnwatch/testing/provider';

export type MomentKind = 'request' | 'chunk' | 'comment' | 'error' | 'done' | 'signal';

export interface Moment {
  readonly kind: MomentKind;
  /** Wall clock, ms. */
  readonly atMs: number;
}

/** What truly happened, a list for each model: verdicts are held against it. */
export class Moments {
  readonly #of: Map<string, Moment[]> = new Map();
  #waiting: (() => void)[] = [];

  add(model: string, kind: MomentKind): void {
    this.#list(model).push({ kind, atMs: Date.now() });
    for (const wake of this.#waiting.splice(0)) wake();
  }

  of(model: string, kind: MomentKind): readonly number[] {
    return this.#list(model)
      .filter((moment) => moment.kind === kind)
      .map(({ atMs }) => atMs);
  }

  /** Resolves when there are so many. */
  async until(model: string, kind: MomentKind, count: number): Promise<void> {
    while (this.of(model, kind).length < count)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #list(model: string): Moment[] {
    const list = this.#of.get(model) ?? [];
    this.#of.set(model, list);
    return list;
  }
}

/** The dialect, with a note of each thing that is said in it. */
export function noted(dialect: Dialect, moments: Moments): Dialect {
  return {
    name: dialect.name,
    takes: (path) => dialect.takes(path),
    read: (path, body) => dialect.read(path, body),
    answer: (request, id) => new NotedAnswer(dialect.answer(request, id), request, moments),
    refusal: (status, type, message) => dialect.refusal(status, type, message),
  };
}

class NotedAnswer implements Answer {
  readonly #answer: Answer;
  readonly #note: (kind: MomentKind) => void;

  constructor(answer: Answer, { model }: ModelRequest, moments: Moments) {
    this.#answer = answer;
    this.#note = (kind) => moments.add(model, kind);
  }

  begin(): string {
    return this.#answer.begin();
  }

  text(word: string): string {
    this.#note('chunk');
    return this.#answer.text(word);
  }

  reasoning(word: string): string {
    this.#note('chunk');
    return this.#answer.reasoning(word);
  }

  tool(call: Parameters<Answer['tool']>[0]): string {
    this.#note('chunk');
    return this.#answer.tool(call);
  }

  keepalive(): string {
    this.#note('comment');
    return this.#answer.keepalive();
  }

  end(): string {
    this.#note('done');
    return this.#answer.end();
  }

  whole(): object {
    this.#note('done');
    return this.#answer.whole();
  }
}
