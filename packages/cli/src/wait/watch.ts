import { CursorGoneError, type DetectorClient, RefusedError, UnavailableError } from './detector-client.ts';
import { type Finding, findingIn, findingOf, standing } from './finding.ts';
import { Patience } from './patience.ts';
import type { ToldBefore } from './told-before.ts';
import { isOver, type TurnState } from './turn-state.ts';
import type { WatchClock } from './watch-clock.ts';

export interface WatchOptions {
  readonly client: Pick<DetectorClient, 'feed' | 'turns' | 'link'>;
  readonly clock: WatchClock;
  /** 0 to under 1. */
  readonly random: () => number;
  readonly told: ToldBefore;
  readonly types: readonly string[];
  /** The place in the feed; without it, what is so already counts too. */
  readonly after?: string;
  readonly timeoutMs: number;
  readonly patienceMs: number;
  /** How often the state of the turns is looked at beside the feed, which does not tell of ends. */
  readonly checkEveryMs: number;
  /** With a parent: ends of turns that were not open while it waited say nothing, more are to come. */
  readonly openedOnly: boolean;
}

export type WatchResult = { readonly cursor?: string } & (
  | { readonly kind: 'verdict'; readonly finding: Finding }
  | { readonly kind: 'ended'; readonly turns: readonly TurnState[]; readonly well: boolean }
  | { readonly kind: 'timeout'; readonly trouble?: string }
  | { readonly kind: 'superseded' }
);

/**
 * A turn that is missing for so long has settled and is forgotten; for a shorter while, a detector that restarted has not
 * heard its next heartbeat yet.
 */
const forgottenMs = 60_000;
/** A feed that answers at once and empty, against what was asked for, is not asked again before this. */
const breathMs = 1000;
const shortMs = 10_000;

/**
 * Waits by long polls until a verdict, the end, or the time-out.
 * @throws RefusedError, and UnavailableError when the patience is over
 */
export async function watch(options: WatchOptions): Promise<WatchResult> {
  return await new Watch(options).run();
}

class Watch {
  readonly #options: WatchOptions;
  readonly #patience: Patience;
  readonly #endsAtMs: number;
  readonly #known = new Map<string, TurnState>();
  readonly #missingSinceMs = new Map<string, number>();
  /** Of states that are older than the cursor the caller began with. */
  readonly #before = new Set<string>();
  #cursor: string | undefined;
  #checkAtMs: number;
  /** States that are found now are news. */
  #statesCount: boolean;
  #blind = false;
  #trouble: string | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { clock, after, timeoutMs, patienceMs, random } = options;
    this.#cursor = after;
    this.#statesCount = after === undefined;
    this.#checkAtMs = clock.nowMs();
    this.#endsAtMs = clock.nowMs() + timeoutMs;
    this.#patience = new Patience(clock, random, patienceMs);
  }

  async run(): Promise<WatchResult> {
    const { clock, told } = this.#options;
    while (clock.nowMs() < this.#endsAtMs) {
      if (told.isSuperseded) return this.#result({ kind: 'superseded' });
      try {
        const result = await this.#round();
        if (result !== undefined) return this.#result(result);
      } catch (error) {
        if (error instanceof CursorGoneError) this.#begin(error.oldestCursor);
        else if (!(error instanceof UnavailableError)) throw error;
        this.#trouble = (error as Error).message;
        await this.#patience.afterFailure(error as Error, this.#leftMs);
      }
    }
    const trouble =
      this.#trouble ??
      (this.#blind ? 'the token has no scope "read", so an end would not be seen' : undefined);
    return this.#result({ kind: 'timeout', ...(trouble === undefined ? {} : { trouble }) });
  }

  /** The place in the feed first, then the states: what happens in between is in the feed. */
  async #round(): Promise<WatchResult | undefined> {
    if (this.#cursor === undefined) {
      const { nextCursor } = await this.#feed('latest', 0);
      this.#cursor = nextCursor;
    }
    const { clock, checkEveryMs } = this.#options;
    if (clock.nowMs() >= this.#checkAtMs) {
      const turns = await this.#turns();
      const result = turns === undefined ? undefined : this.#check(turns);
      if (result !== undefined) return result;
      this.#checkAtMs = clock.nowMs() + checkEveryMs;
    }
    return await this.#listen(this.#cursor);
  }

  async #listen(after: string): Promise<WatchResult | undefined> {
    const { clock, checkEveryMs, types, told } = this.#options;
    const waitS = Math.min(60, Math.floor(Math.min(checkEveryMs, this.#leftMs) / 1000));
    const askedAtMs = clock.nowMs();
    let page = await this.#feed(after, waitS);
    const events = [...page.events];
    while (page.more) {
      page = await this.#feed(page.nextCursor, 0);
      events.push(...page.events);
    }
    this.#cursor = page.nextCursor;
    for (const event of standing(events)) {
      if (!types.includes(event.type)) continue;
      const finding = findingOf(event);
      if (told.claim(finding.key)) return { kind: 'verdict', finding };
    }
    if (events.length === 0 && clock.nowMs() - askedAtMs < (waitS * 1000) / 2)
      await clock.sleep(Math.min(breathMs, this.#leftMs));
    return undefined;
  }

  /** Undefined where the token may hear of verdicts, but not look at turns. */
  async #turns(): Promise<readonly TurnState[] | undefined> {
    if (this.#blind) return undefined;
    try {
      return await this.#options.client.turns(Math.min(shortMs, this.#leftMs));
    } catch (error) {
      if (!(error instanceof RefusedError && error.status === 403)) throw error;
      this.#blind = true;
      return undefined;
    }
  }

  #check(turns: readonly TurnState[]): WatchResult | undefined {
    const { types, told, client } = this.#options;
    for (const turn of turns) {
      const finding = findingIn(turn, client.link(turn.id));
      if (finding === undefined || !types.includes(finding.type)) continue;
      if (!this.#statesCount) this.#before.add(finding.key);
      else if (!this.#before.has(finding.key) && told.claim(finding.key)) return { kind: 'verdict', finding };
    }
    this.#statesCount = true;
    return this.#ended(turns);
  }

  #ended(turns: readonly TurnState[]): WatchResult | undefined {
    for (const turn of turns) {
      this.#missingSinceMs.delete(turn.id);
      if (this.#known.has(turn.id) || !this.#options.openedOnly || !isOver(turn))
        this.#known.set(turn.id, turn);
    }
    const here = new Set(turns.map(({ id }) => id));
    for (const turn of this.#known.values()) if (!here.has(turn.id) && !isOver(turn)) this.#missing(turn);
    const known = [...this.#known.values()];
    if (known.length === 0 || !known.every(isOver)) return undefined;
    return {
      kind: 'ended',
      turns: known,
      well: known.every(({ state, outcome }) => state === 'ended' && outcome === 'completed'),
    };
  }

  #missing(turn: TurnState): void {
    const nowMs = this.#options.clock.nowMs();
    const sinceMs = this.#missingSinceMs.get(turn.id) ?? nowMs;
    this.#missingSinceMs.set(turn.id, sinceMs);
    if (nowMs - sinceMs >= forgottenMs)
      this.#known.set(turn.id, { ...turn, state: 'ended', outcome: 'unknown' });
  }

  /** Events were missed: what they told is in the states. */
  #begin(cursor: string | undefined): void {
    if (this.#cursor === cursor)
      throw new UnavailableError(`the feed begins at ${cursor}, and says that this is gone`);
    this.#cursor = cursor;
    this.#before.clear();
    this.#checkAtMs = this.#options.clock.nowMs();
  }

  async #feed(after: string, waitS: number): ReturnType<DetectorClient['feed']> {
    // Recoveries are asked for always: they take a verdict back that came with them.
    const types = [...new Set([...this.#options.types, 'turn.recovered'])];
    const withinMs = Math.min(waitS * 1000 + shortMs, this.#leftMs + 1000);
    const page = await this.#options.client.feed({ after, types, waitS, withinMs });
    this.#patience.afterSuccess();
    this.#trouble = undefined;
    return page;
  }

  get #leftMs(): number {
    return Math.max(1, this.#endsAtMs - this.#options.clock.nowMs());
  }

  #result(result: WatchResult): WatchResult {
    return this.#cursor === undefined ? result : { ...result, cursor: this.#cursor };
  }
}
