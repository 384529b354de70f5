import { join } from 'node:path';
import type { SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import { type DetectorConfigInput, loadConfig, type Served, serve, silentLogger } from '@turnwatch/detector';
import { scratchFolder } from '../script/scratch-folder.ts';
import { scripted } from './agent.ts';

type Event = TurnEvent | SourceSilentEvent;

/** A verdict and nothing that came with it: what two ways of the same records must have in common. */
export interface Verdict {
  readonly turn: string;
  readonly type: Exclude<Event['type'], 'source.silent'>;
  readonly reason?: string;
}

/** The detector with the real clocks, a file and a socket, which can be stopped and started again at its address. */
export class RealDetector {
  readonly events: Event[] = [];
  readonly #folder: string;
  readonly #removeFolder: () => void;
  readonly #input: DetectorConfigInput;
  #served: Served | undefined;
  #wake: (() => void)[] = [];

  private constructor(input: DetectorConfigInput) {
    this.#input = input;
    [this.#folder, this.#removeFolder] = scratchFolder('turnwatch-');
  }

  static async start(port: number, input: DetectorConfigInput = {}): Promise<RealDetector> {
    const detector = new RealDetector({
      ...input,
      listen: { port, ...input.listen },
      policy: {
        preset: 'measured',
        floorMs: 0,
        ...input.policy,
        priors: [{ ...scripted, thresholdMs: { text: 2000, first_token: 2000 } }],
      },
    });
    await detector.start();
    return detector;
  }

  get url(): string {
    return this.#served?.url ?? '';
  }

  async start(): Promise<void> {
    const { config } = loadConfig({
      flags: { ...this.#input, store: { file: join(this.#folder, 'turnwatch.db') } },
      environment: {},
    });
    this.#served = await serve(config, {
      logger: silentLogger,
      handleSignals: false,
      onEvent: (event) => {
        this.events.push(event);
        for (const wake of this.#wake.splice(0)) wake();
      },
    });
  }

  /** What was said of turns, in order. */
  verdicts(): readonly Verdict[] {
    return this.events.flatMap((event): Verdict[] =>
      event.type === 'source.silent'
        ? []
        : [
            {
              turn: event.turn,
              type: event.type,
              ...(event.type === 'turn.stale' ? { reason: event.stale.reason } : {}),
            },
          ],
    );
  }

  /** Resolves when an event is there that the test looks for. */
  async until(found: (event: Event) => boolean): Promise<void> {
    while (!this.events.some(found)) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  async isStale(turn: string): Promise<void> {
    await this.until((event) => event.type === 'turn.stale' && event.turn === turn);
  }

  /** What the API says of a turn: its state, its outcome where it has ended; undefined where it does not know it. */
  async stateOf(turn: string): Promise<string | undefined> {
    const response = await fetch(`${this.url}/v1/turns/${turn}`);
    const { state, outcome } = (await response.json()) as {
      readonly state?: string;
      readonly outcome?: string;
    };
    return state === 'ended' ? outcome : state;
  }

  /** Asks until the turn is there. */
  async reaches(turn: string, state: string): Promise<void> {
    while ((await this.stateOf(turn)) !== state) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Asks until its probe came back through the path within the last two seconds. */
  async hears(path: string): Promise<void> {
    for (;;) {
      const age = (await this.#health(path))?.canaryAgeMs;
      if (typeof age === 'number' && age < 2000) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    await this.#served?.stop();
    this.#served = undefined;
  }

  async end(): Promise<void> {
    await this.stop();
    this.#removeFolder();
  }

  async #health(path: string): Promise<{ readonly canaryAgeMs: number | null } | undefined> {
    const response = await fetch(`${this.url}/healthz`);
    const { paths } = (await response.json()) as {
      readonly paths?: Readonly<Record<string, { readonly canaryAgeMs: number | null }>>;
    };
    return paths?.[path];
  }
}
