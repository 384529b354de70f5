import {
  createDetector,
  type EmbeddedDetector,
  type PolicyInput,
  type TurnStaleDocument,
} from '@turnwatch/detector/embedded';
import { configure, observeFetch, TurnStaleError, withTurn } from '@turnwatch/instrumentation';

/** One thing to do, on a model that may wedge. */
export interface Job {
  readonly id: string;
  readonly prompt: string;
  /** `local`: an engine near by, whose keep-alives are evidence that it works. */
  readonly route: 'api' | 'local';
}

export interface WorkerOptions {
  /** Base URL of a provider that speaks chat completions. */
  readonly url: string;
  readonly slots: number;
  readonly maxAttempts: number;
  readonly log: (line: string) => void;
  /** Thresholds of your own only where you know better; the default learns them. */
  readonly policy?: PolicyInput;
}

/** Runs jobs in a few slots. An attempt that stops gives its slot back at once and is made anew. */
export class Worker {
  readonly detector: EmbeddedDetector;
  readonly #options: WorkerOptions;
  readonly #fetch = observeFetch();
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#free = options.slots;
    this.detector = createDetector({
      policy: options.policy,
      // What stale means here: turn.signal fires and withTurn rejects, whether or not the work ever settles.
      abort: true,
      onStale: (event, { aborted }) => this.#note(event, aborted),
    });
    configure({ detector: this.detector });
  }

  async run(job: Job): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      await this.#takeSlot();
      try {
        this.#options.log(`${job.id}/${attempt} begins`);
        const answer = await withTurn(
          { id: job.id, attempt, agent: 'worker', provider: 'scripted', model: 'scripted', route: job.route },
          (turn) => this.#ask(job, turn.signal),
        );
        this.#options.log(`${job.id}/${attempt} done: ${answer}`);
        return answer;
      } catch (error) {
        const again =
          error instanceof TurnStaleError && error.retryable && attempt < this.#options.maxAttempts;
        this.#options.log(`${job.id}/${attempt} failed${again ? ', is made anew' : ''}`);
        if (!again) throw error;
      } finally {
        this.#giveSlot();
      }
    }
  }

  async #ask({ prompt }: Job, signal: AbortSignal): Promise<string> {
    const response = await this.#fetch(`${this.#options.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'scripted',
        stream: true,
        messages: [{ role: 'user', content: prompt }],
      }),
      signal,
    });
    return contentOf(await response.text());
  }

  #note({ data: { turn, stale } }: TurnStaleDocument, aborted: boolean): void {
    const facts = `${stale.reason} in ${stale.phase}, ${Math.round(stale.silenceMs / 1000)} s`;
    this.#options.log(`${turn.id}/${turn.attempt} stale: ${facts}${aborted ? ', aborted' : ''}`);
  }

  async #takeSlot(): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
  }

  #giveSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

function contentOf(stream: string): string {
  const words = stream.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {')) return [];
    const chunk = JSON.parse(line.slice('data: '.length)) as {
      readonly choices: readonly { readonly delta?: { readonly content?: string } }[];
    };
    return [chunk.choices[0]?.delta?.content ?? ''];
  });
  return words.join('');
}
