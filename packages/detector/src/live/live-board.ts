import type { Now, Registry, TurnView } from '@turnwatch/core';
import type { Hearing, LiveCounts, LiveQuery } from '@turnwatch/protocol';
import { hearingOf } from './hearing.ts';
import { rowOf, type Steady } from './live-row.ts';
import { nobodyTold, type ToldIndex } from './told-index.ts';
import { hasLeft, nearness, type Urgency, urgencies, urgencyOf } from './urgency.ts';

/** Whose board it is: a token that is bound to a parent sees the turns of that parent only. */
export interface Viewer {
  readonly query: LiveQuery;
  readonly parent?: string;
  /** Endpoints whose deliveries may be seen; undefined: all. */
  readonly endpoints?: () => readonly string[];
}

export interface Selection {
  /** Rows as JSON by turn, the most urgent first. */
  readonly rows: ReadonlyMap<string, string>;
  readonly counts: LiveCounts;
  readonly matching: number;
}

interface Candidate {
  readonly view: TurnView;
  readonly hearing: Hearing;
  readonly urgency: Urgency;
  readonly rank: number;
}

interface Look {
  readonly wallMs: number;
  readonly candidates: readonly Candidate[];
}

export interface LiveBoardOptions {
  readonly registry: () => Registry;
  readonly now: () => Now;
  readonly told: ToldIndex;
}

/** What is running now, as one look at the registry that all watchers share. */
export class LiveBoard {
  readonly #options: LiveBoardOptions;
  #look: Look = { wallMs: 0, candidates: [] };
  #steady = new Map<string, Steady>();
  #before = new Map<string, Steady>();
  /** Rows of this look that anybody may see, made once. */
  readonly #rows = new Map<string, string>();

  constructor(options: LiveBoardOptions) {
    this.#options = options;
  }

  /** Looks again. What is selected afterwards is of this instant. */
  look(): void {
    const now = this.#options.now();
    const registry = this.#options.registry();
    const processes = new Map(registry.processes(now).map((process) => [process.id, process]));
    this.#look = {
      wallMs: now.wallMs,
      candidates: registry.turns(now).map((view) => {
        const hearing = hearingOf(view, processes.get(view.process));
        const urgency = urgencyOf(view, hearing);
        return { view, hearing, urgency, rank: urgencies.indexOf(urgency) };
      }),
    };
    // What no watcher was shown in the last look has no steady clocks left.
    this.#before = this.#steady;
    this.#steady = new Map();
    this.#rows.clear();
  }

  select(viewer: Viewer): Selection {
    const counts = { running: 0, suspect: 0, stale: 0, expired: 0, ended: 0, waiting: 0 };
    const fitting: Candidate[] = [];
    for (const candidate of this.#look.candidates) {
      const { view } = candidate;
      if (viewer.parent !== undefined && view.identity.parentId !== viewer.parent) continue;
      counts[view.state]++;
      if (view.phase === 'waiting' && (view.state === 'running' || view.state === 'suspect'))
        counts.waiting++;
      if (this.#fits(candidate, viewer.query)) fitting.push(candidate);
    }
    const chosen = mostUrgent(fitting, viewer.query.limit);
    const rows = new Map(chosen.map((candidate) => [candidate.view.id, this.#row(candidate, viewer)]));
    return { rows, counts, matching: fitting.length };
  }

  #fits({ view }: Candidate, { state, agent, parent, turn, text }: LiveQuery): boolean {
    if (turn !== undefined) return view.id === turn;
    if (state === undefined ? hasLeft(view, this.#look.wallMs) : view.state !== state) return false;
    if (agent !== undefined && view.identity.agent !== agent) return false;
    if (parent !== undefined && view.identity.parentId !== parent) return false;
    return text === undefined || mentions(view, text.toLowerCase());
  }

  #row({ view, hearing, urgency }: Candidate, viewer: Viewer): string {
    const shared = viewer.endpoints === undefined;
    const made = shared ? this.#rows.get(view.id) : undefined;
    if (made !== undefined) return made;
    const { wallMs } = this.#look;
    const judgedOnce = view.state !== 'running' || view.episode > 1 || view.suspectSinceMs !== null;
    const { row, steady } = rowOf({
      view,
      hearing,
      urgency,
      wallMs,
      told: judgedOnce ? this.#options.told.of(view.id, wallMs, viewer.endpoints?.()) : nobodyTold,
      before: this.#before.get(view.id) ?? this.#steady.get(view.id),
    });
    this.#steady.set(view.id, steady);
    const json = JSON.stringify(row);
    if (shared) this.#rows.set(view.id, json);
    return json;
  }
}

function mostUrgent(candidates: readonly Candidate[], limit: number): Candidate[] {
  const byPlace = (a: Candidate, b: Candidate): number => a.rank - b.rank || newest(a, b);
  if (candidates.length <= limit) return [...candidates].sort(byPlace);
  // Among thousands that work, those that are nearest to their threshold are worth a row.
  const near = new Map(candidates.map((candidate) => [candidate, nearness(candidate.view)]));
  return [...candidates]
    .sort((a, b) => a.rank - b.rank || (near.get(b) ?? 0) - (near.get(a) ?? 0) || newest(a, b))
    .slice(0, limit)
    .sort(byPlace);
}

function newest({ view: a }: Candidate, { view: b }: Candidate): number {
  return b.startedAtMs - a.startedAtMs || (a.id < b.id ? -1 : 1);
}

function mentions({ id, identity, process }: TurnView, text: string): boolean {
  const { agent, parentId, model, provider, conversationId } = identity;
  return [id, agent, parentId, model, provider, conversationId, process].some(
    (part) => part?.toLowerCase().includes(text) === true,
  );
}
