import { setTimeout as delay } from 'node:timers/promises';
import { eventPage } from '@turnwatch/protocol';
import { post, stalledTurn } from './stalled-turn.ts';

type Batch = Parameters<typeof post>[1];

/** Agents that start, end and stall turns as fast as they are answered, and write down what was acknowledged. */
export class BusyAgents {
  readonly started = new Set<string>();
  readonly ended = new Set<string>();
  /** Their silence was acknowledged, so their verdict is kept. */
  readonly stalled = new Set<string>();
  /** Events that somebody has read from the feed: id to type and turn. */
  readonly seen = new Map<string, string>();
  /** Answers by status; 0: none. */
  readonly answers = new Map<number, number>();
  readonly #url: string;
  readonly #random: () => number;
  readonly #work: Promise<void>[] = [];
  #stopping = false;
  #turns = 0;
  #cursor = '0';

  constructor(url: string, random: () => number) {
    this.#url = url;
    this.#random = random;
  }

  start(count: number): void {
    for (let n = 0; n < count; n++) this.#work.push(this.#agent(n));
    this.#work.push(this.#reader());
  }

  /** Each finishes what it is at; the detector must be up. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#work);
  }

  async #agent(n: number): Promise<void> {
    while (!this.#stopping) {
      const turn = `turn_${n}_${this.#turns++}`;
      const { agent, records } = stalledTurn(turn);
      const [started, silent] = records;
      if (started === undefined || silent === undefined) throw new Error('a stalled turn has two records');
      await this.#acknowledged([started]);
      this.started.add(turn);
      const fate = this.#random();
      if (fate < 0.3) continue;
      if (fate < 0.7) {
        await this.#acknowledged([silent]);
        this.stalled.add(turn);
        if (fate < 0.5) continue;
      }
      agent.a += 100;
      await this.#acknowledged([agent.says({ name: 'ended', outcome: 'completed' })]);
      this.ended.add(turn);
    }
  }

  /** As an exporter does: again and again, in the same bytes, until it is taken. */
  async #acknowledged(batch: Batch): Promise<void> {
    for (;;) {
      const status = await post(this.#url, batch).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 0,
      );
      this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
      if (status === 200) return;
      if (status !== 0 && status !== 503) throw new Error(`the detector answered ${status}`);
      await delay(20);
    }
  }

  async #reader(): Promise<void> {
    while (!this.#stopping) await this.read().catch(() => delay(20));
  }

  /** One page of the feed, after a wait where there is none. */
  async read(): Promise<boolean> {
    const response = await fetch(
      `${this.#url}/v1/events?after=${this.#cursor}&limit=1000&wait=1&type=turn.stale,turn.recovered,turn.expired`,
    );
    if (response.status !== 200)
      throw new Error(`the feed answered ${response.status}: ${await response.text()}`);
    const page = eventPage.parse(await response.json());
    for (const event of page.events)
      this.seen.set(event.id, `${event.type} ${'subject' in event ? event.subject : ''}`);
    this.#cursor = page.nextCursor;
    return page.more;
  }
}
