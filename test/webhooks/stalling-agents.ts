import { setTimeout as delay } from 'node:timers/promises';
import type { Signal } from '@turnwatch/core';
import type { ShakyParent } from './shaky-parent.ts';
import { post, stalledTurn } from './stalled-turn.ts';

/** Unhandled turns at one time: more only makes the end of the run longer. */
const mostOpen = 40;

/** Agents whose turns go stale one after the other, as fast as detector and parent keep up; some recover. */
export class StallingAgents {
  /** Turns whose silence the detector has acknowledged: each is a verdict that must be heard. */
  readonly stalled: string[] = [];
  readonly recovered: string[] = [];
  readonly #url: string;
  readonly #parent: ShakyParent;
  readonly #random: () => number;
  #stopping = false;
  #abandoned = false;
  #turns = 0;
  #running: Promise<unknown> = Promise.resolve();

  constructor(url: string, parent: ShakyParent, random: () => number) {
    this.#url = url;
    this.#parent = parent;
    this.#random = random;
  }

  start(agents: number): void {
    this.#running = Promise.all(Array.from({ length: agents }, () => this.#work()));
  }

  /** Every turn that was begun is brought to its end, unless that takes longer than a healthy run can. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopping = true;
    const timer = setTimeout(() => {
      this.#abandoned = true;
    }, patienceMs);
    await this.#running;
    clearTimeout(timer);
  }

  /** Acknowledged, but not heard. */
  get unheard(): number {
    return this.stalled.filter((turn) => !this.#parent.happened.has(`turn.stale ${turn}`)).length;
  }

  async #work(): Promise<void> {
    while (!this.#stopping) {
      if (this.unheard >= mostOpen) {
        await delay(10);
        continue;
      }
      const turn = `turn_${++this.#turns}`;
      const { agent, records } = stalledTurn(turn);
      await this.#send(records);
      this.stalled.push(turn);
      if (this.#random() > 0.25) continue;
      // Not before: a recovery that is delivered first makes an event that nobody has heard superseded.
      while (!this.#abandoned && !this.#parent.happened.has(`turn.stale ${turn}`)) await delay(10);
      if (this.#abandoned) return;
      agent.a += 100;
      await this.#send([agent.says({ name: 'step' })]);
      await this.#send([agent.says({ name: 'ended', outcome: 'completed' })]);
      this.recovered.push(turn);
    }
  }

  /** Again and again, as exporters do, until it is acknowledged: the detector may be away. */
  async #send(records: readonly Signal[]): Promise<void> {
    while (!this.#abandoned) {
      try {
        const response = await post(this.#url, records);
        await response.arrayBuffer();
        if (response.status === 200) return;
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
      await delay(20);
    }
  }
}
