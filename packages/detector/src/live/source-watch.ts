import type { Now, ProcessView, Registry, Signal, TurnView } from '@turnwatch/core';
import type { BlindSpot, SourceList, SourcePath, SourceProcess } from '@turnwatch/protocol';
import { beatingOf, blindSpotsOf } from './blind-spots.ts';
import { quietAfterMs } from './hearing.ts';

const maxProcesses = 5000;
const listed = 200;
const namedAgents = 8;
/** No route holds a probe for so long. */
const canaryFreshMs = 5000;
/** A step this large is a clock that was set, not a lag. */
const clockStepMs = 600_000;

interface Arrival {
  /** Newest: the detector's wall clock minus the record's. */
  offsetMs: number;
  leastMs: number;
}

/** How the records of each process arrive, and whether the probe of each path comes back. For people only. */
export class SourceWatch {
  readonly #arrivals = new Map<string, Arrival>();
  readonly #canaries = new Map<string, number>();
  /** Requests with ended spans or metrics, from which nothing is judged. */
  readonly #unjudged = { traces: 0, metrics: 0 };

  received(signal: Signal, now: Now): void {
    if (signal.type === 'canary') {
      this.#canaries.set(signal.path, signal.sentAwakeMs ?? now.awakeMs);
      return;
    }
    const { wallMs, process } = signal.origin;
    if (wallMs === undefined) return;
    const offsetMs = now.wallMs - wallMs;
    const known = this.#arrivals.get(process);
    if (known === undefined) {
      if (this.#arrivals.size >= maxProcesses) this.#dropOldest();
      this.#arrivals.set(process, { offsetMs, leastMs: offsetMs });
      return;
    }
    known.offsetMs = offsetMs;
    known.leastMs =
      Math.abs(offsetMs - known.leastMs) > clockStepMs ? offsetMs : Math.min(known.leastMs, offsetMs);
  }

  /** A request that brought what nothing is judged from. */
  unjudged(signal: 'traces' | 'metrics'): void {
    this.#unjudged[signal]++;
  }

  /** @param probed paths that the detector's own probe goes by */
  list(registry: Registry, now: Now, probed: ReadonlySet<string>): SourceList {
    const turns = registry.turns(now, {
      fits: ({ verdict }) => verdict.state !== 'ended' && verdict.state !== 'expired',
    });
    const views = registry.processes(now);
    const agents = agentsOf(turns);
    const beating = beatingOf(turns);
    const processes = views
      .map((view) => this.#processOf(view, agents.get(view.id), beating.has(view.id), now))
      .sort(troubleFirst);
    const paths = registry.paths().map((id) => this.#pathOf(id, views, probed.has(id), now));
    const spots: BlindSpot[] = blindSpotsOf({ paths, processes, turns, unjudged: this.#unjudged });
    return {
      at: new Date(now.wallMs).toISOString(),
      paths,
      processes: processes.slice(0, listed),
      totalProcesses: processes.length,
      blindSpots: spots,
    };
  }

  #processOf(
    view: ProcessView,
    agents: ReadonlySet<string> | undefined,
    beats: boolean,
    now: Now,
  ): SourceProcess {
    const arrival = this.#arrivals.get(view.id);
    // One that never had a heartbeat is heard when it has something to tell.
    const quiet = view.state === 'live' && view.heardAgoMs > quietAfterMs && beats;
    return {
      id: view.id,
      service: view.service,
      agents: [...(agents ?? [])].slice(0, namedAgents),
      path: view.path,
      hostClass: view.hostClass,
      state: quiet ? 'quiet' : view.state,
      heardAt: new Date(now.wallMs - view.heardAgoMs).toISOString(),
      heardAgoMs: whole(view.heardAgoMs),
      beats: view.beats,
      worker: view.worker,
      loopAgeMs: whole(view.loopAgeMs),
      lagMs: arrival === undefined ? null : whole(arrival.offsetMs - arrival.leastMs),
      clockAheadMs: arrival === undefined ? null : Math.round(-arrival.leastMs),
      openTurns: view.openTurns,
    };
  }

  #pathOf(id: string, views: readonly ProcessView[], probed: boolean, now: Now): SourcePath {
    const backMs = this.#canaries.get(id);
    const ageMs = backMs === undefined ? null : whole(now.awakeMs - backMs);
    const own = views.filter(({ path }) => path === id);
    return {
      id,
      probed,
      canaryAgeMs: ageMs,
      silent: ageMs === null || ageMs >= canaryFreshMs,
      processes: own.length,
      openTurns: own.reduce((sum, { openTurns }) => sum + openTurns, 0),
    };
  }

  #dropOldest(): void {
    const [oldest] = this.#arrivals.keys();
    if (oldest !== undefined) this.#arrivals.delete(oldest);
  }
}

function agentsOf(turns: readonly TurnView[]): Map<string, Set<string>> {
  const agents = new Map<string, Set<string>>();
  for (const { process, identity } of turns) {
    if (identity.agent === undefined) continue;
    const known = agents.get(process);
    if (known === undefined) agents.set(process, new Set([identity.agent]));
    else known.add(identity.agent);
  }
  return agents;
}

const trouble: Readonly<Record<SourceProcess['state'], number>> = {
  unreachable: 0,
  quiet: 1,
  exited: 2,
  suspended: 3,
  live: 4,
};

function troubleFirst(a: SourceProcess, b: SourceProcess): number {
  const open = (process: SourceProcess): number => (process.openTurns > 0 ? trouble[process.state] : 5);
  return open(a) - open(b) || b.openTurns - a.openTurns || a.heardAgoMs - b.heardAgoMs;
}

function whole(ms: number): number {
  return Math.max(0, Math.round(ms));
}
