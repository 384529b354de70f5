import type { Happening, Signal, TurnIdentity, TurnReport } from '@turnwatch/core';
import { post, ScriptedAgent } from './scripted-agent.ts';

export interface Part {
  readonly turn: string;
  readonly identity?: TurnIdentity;
  /** How long ago the newest activity was when the scene begins, ms; it grows unless `flows`. */
  readonly quietMs?: number;
  readonly flows?: boolean;
  readonly report?: (a: number, scene: { readonly sinceMs: number }) => Partial<TurnReport>;
  /** It sends nothing after its start. */
  readonly mute?: boolean;
}

/** So much of its time has passed for each agent when the scene begins: a past can be told at once. */
const pastMs = 4_000_000;

/** Live agents as far as their records go: a heartbeat and a record of each turn every second, until it is stopped. */
export class LiveScene {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #agents = new Map<string, { readonly agent: ScriptedAgent; part: Part; beats: boolean }>();
  readonly #startedMs: number = performance.now();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(url: string, token?: string) {
    this.#url = url;
    this.#token = token;
  }

  async enter(...parts: readonly Part[]): Promise<void> {
    const signals: Signal[] = [];
    for (const part of parts) {
      const agent = new ScriptedAgent(part.turn, part.identity ?? {});
      this.#agents.set(part.turn, { agent, part, beats: part.mute !== true });
      signals.push(this.#say(agent, part, { name: 'started' }), agent.beat());
    }
    await this.#post(signals);
    this.#timer ??= setInterval(() => void this.beat(), 1000);
  }

  /** From now on the turn is like that. */
  async turn(
    turn: string,
    part: Omit<Part, 'turn' | 'identity'>,
    happening: Happening = { name: 'heartbeat' },
  ): Promise<void> {
    const known = this.#agents.get(turn);
    if (known === undefined) throw new Error(`${turn} is not in the scene`);
    known.part = {
      ...part,
      turn,
      ...(known.part.identity === undefined ? {} : { identity: known.part.identity }),
    };
    await this.#post([this.#say(known.agent, known.part, happening)]);
  }

  async end(turn: string): Promise<void> {
    const known = this.#agents.get(turn);
    if (known === undefined) return;
    this.#agents.delete(turn);
    await this.#post([this.#say(known.agent, known.part, { name: 'ended', outcome: 'completed' })]);
  }

  /** Its host is put to sleep in an orderly way. */
  async sleep(turn: string): Promise<void> {
    const known = this.#agents.get(turn);
    if (known === undefined) return;
    known.beats = false;
    const { origin } = known.agent.beat();
    await this.#post([{ type: 'process', origin, name: 'suspending' }]);
  }

  /** It says nothing more. */
  fallSilent(turn: string): void {
    const known = this.#agents.get(turn);
    if (known !== undefined) known.beats = false;
  }

  async beat(): Promise<void> {
    const signals: Signal[] = [];
    for (const { agent, part, beats } of this.#agents.values())
      if (beats) signals.push(this.#say(agent, part, { name: 'heartbeat' }), agent.beat());
    if (signals.length > 0) await this.#post(signals);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #say(agent: ScriptedAgent, part: Part, happening: Happening): Signal {
    const sinceMs = performance.now() - this.#startedMs;
    agent.a = pastMs + sinceMs;
    const quietMs = part.flows === true ? 0 : (part.quietMs ?? 0) + sinceMs;
    return agent.says(happening, quietMs, part.report?.(agent.a, { sinceMs }) ?? {});
  }

  async #post(signals: readonly Signal[]): Promise<void> {
    try {
      await post(this.#url, signals, this.#token);
    } catch {
      // The detector may be gone on purpose; what is asserted is asserted on the page.
    }
  }
}
