import type { Happening, Phase, SettledOutcome, TurnEvent, TurnReport, TurnSignal } from '@turnwatch/core';
import { isJudged } from '@turnwatch/core';
import type { TimelineDocument } from '@turnwatch/protocol';
import type { Entry, Mark, PhaseSpan, RequestSpan, ToolSpan, WaitSpan } from './entry.ts';
import { markOf } from './mark.ts';
import { TurnClock } from './turn-clock.ts';

const maxEntries = 240;
/** Shorter silences are the grain of any stream. */
const leastGapMs = 2000;
/** A silence that used so much of its threshold is worth telling, and one that is this much longer than all before. */
const nearShare = 0.25;
const longerFactor = 1.5;

/** What the detector knows of a turn when a record comes: the phase it was in, and what it was held against. */
export interface Standing {
  readonly phase: Phase;
  readonly thresholdMs: number;
}

/** What happened in one turn. It keeps the newest entries, and counts what it dropped. */
export class TurnRecord {
  readonly begins: TimelineDocument['begins'];
  readonly entries: Entry[] = [];
  dropped = 0;
  settled = false;
  readonly #clock = new TurnClock();
  readonly #requests = new Map<string, RequestSpan>();
  readonly #tools = new Map<string, ToolSpan>();
  #phase: PhaseSpan | undefined;
  #wait: WaitSpan | undefined;
  #lastA: number | undefined;
  #longestMs = 0;
  #owner = '';
  #seq = -1;
  #attempt = 0;
  #incarnation = 0;
  /** Only a list said that it had ended: a newer record of its own shows that it goes on. */
  #mayReturn = false;

  constructor(begins: TimelineDocument['begins']) {
    this.begins = begins;
  }

  /** @param standing as the turn stood before this record; asked only where a silence ends */
  hear(signal: TurnSignal, wallMs: number, standing: () => Standing | undefined): void {
    const { origin, happening, report } = signal;
    if (!this.#isNews(signal)) return;
    const owner = `${origin.process} ${origin.boot}`;
    if (owner !== this.#owner) this.#clock.reset();
    this.#clock.hear(signal, wallMs);
    if (signal.attempt > this.#attempt && this.#attempt > 0) {
      this.#close(wallMs);
      this.#mark('attempt', wallMs, String(signal.attempt));
    }
    this.settled = false;
    this.#owner = owner;
    this.#incarnation = signal.incarnation;
    this.#seq = origin.seq;
    this.#attempt = signal.attempt;
    const atMs = report === undefined ? wallMs : this.#clock.wallOf(origin.a);
    if (report !== undefined) this.#gap(report, standing);
    this.#happened(happening, atMs);
    if (report !== undefined && happening.name !== 'ended') this.#report(report, atMs);
  }

  /** A producer without heartbeats: the phase as the registry derived it. */
  phase(phase: Phase, wallMs: number): void {
    this.#turnTo(phase, wallMs);
  }

  event(event: TurnEvent): void {
    const mark = markOf(event);
    if (mark !== undefined) this.#add(mark);
    if (event.type === 'turn.expired') {
      this.#close(event.expired.settledAtMs);
      this.settled = true;
    }
  }

  /** The registry holds it for ended, whoever said so. */
  ended(outcome: SettledOutcome, wallMs: number): void {
    this.#close(wallMs);
    this.#mayReturn = outcome === 'unknown';
    this.#mark('ended', wallMs, outcome);
    this.settled = true;
  }

  operator(action: string, wallMs: number): void {
    this.#mark('operator', wallMs, action);
  }

  /** As the registry takes records: of the newest attempt and owner, each once, and none after the end. */
  #isNews({ attempt, incarnation, origin }: TurnSignal): boolean {
    if (attempt !== this.#attempt) return attempt > this.#attempt;
    if (this.settled && !this.#mayReturn) return false;
    if (incarnation !== this.#incarnation) return incarnation > this.#incarnation;
    return `${origin.process} ${origin.boot}` === this.#owner && origin.seq > this.#seq;
  }

  #happened(happening: Happening, atMs: number): void {
    switch (happening.name) {
      case 'started':
        this.#mark('started', atMs, null);
        break;
      case 'adopted':
        this.#mark('adopted', atMs, null);
        break;
      case 'provider_error':
        this.#mark(
          'provider_error',
          atMs,
          `${happening.errorType ?? 'error'}${happening.retryable ? ', retryable' : ''}`,
        );
        break;
      case 'request_started':
        this.#request(happening.request, atMs, happening.streaming, happening.promptTokens);
        break;
      case 'request_ended':
        end(this.#requests, happening.request, atMs, happening.outcome);
        break;
      case 'first_chunk': {
        const request = happening.request === undefined ? undefined : this.#requests.get(happening.request);
        if (request === undefined) break;
        request.firstContentMs ??= atMs;
        request.firstContentKind ??= happening.kind;
        request.promptTokens ??= happening.promptTokens ?? null;
        break;
      }
      case 'tool_started':
        this.#tool(happening.call, atMs, happening.tool);
        break;
      case 'tool_progress': {
        const tool = this.#tools.get(happening.call);
        if (tool !== undefined) tool.updates++;
        break;
      }
      case 'tool_ended':
        end(this.#tools, happening.call, atMs, happening.outcome);
        break;
      case 'waiting':
        this.#waitFor({ for: happening.for, call: happening.call ?? null }, atMs);
        break;
      case 'resumed':
        this.#waitOver(atMs);
        break;
      default:
    }
  }

  /** The whole state: what a lost record would have said. */
  #report(report: TurnReport, atMs: number): void {
    this.#turnTo(report.phase, this.#clock.wallOf(report.phaseA));
    const requests = new Set<string>();
    for (const { id, startedA, streaming, promptTokens, contentA } of report.requests) {
      requests.add(id);
      const request = this.#request(id, this.#clock.wallOf(startedA), streaming, promptTokens);
      if (contentA !== undefined) request.firstContentMs ??= this.#clock.wallOf(contentA);
    }
    for (const id of this.#requests.keys()) if (!requests.has(id)) end(this.#requests, id, atMs, null);
    const calls = new Set<string>();
    for (const { id, startedA, name, updates } of report.calls) {
      calls.add(id);
      const tool = this.#tool(id, this.#clock.wallOf(startedA), name);
      tool.updates = Math.max(tool.updates, updates);
    }
    for (const id of this.#tools.keys()) if (!calls.has(id)) end(this.#tools, id, atMs, null);
    if (report.waiting === undefined) this.#waitOver(atMs);
    else
      this.#waitFor(
        { for: report.waiting.for, call: report.waiting.call ?? null },
        this.#clock.wallOf(report.waiting.sinceA),
      );
  }

  /** What each open call may be quiet for, as the detector holds it. */
  graces(calls: readonly { readonly id: string; readonly graceMs: number }[]): void {
    for (const { id, graceMs } of calls) {
      const tool = this.#tools.get(id);
      if (tool !== undefined) tool.graceMs = graceMs;
    }
  }

  #gap(report: TurnReport, standing: () => Standing | undefined): void {
    const lastA = this.#lastA;
    this.#lastA = Math.max(lastA ?? report.lastA, report.lastA);
    if (lastA === undefined || report.lastA <= lastA) return;
    const endA = report.firstA !== undefined && report.firstA > lastA ? report.firstA : report.lastA;
    const ms = endA - lastA;
    if (ms < leastGapMs) return;
    const before = standing();
    if (before === undefined || !isJudged(before.phase)) return;
    if (ms < nearShare * before.thresholdMs && ms < longerFactor * this.#longestMs) return;
    this.#longestMs = Math.max(this.#longestMs, ms);
    this.#add({
      kind: 'gap',
      fromMs: this.#clock.wallOf(lastA),
      toMs: this.#clock.wallOf(endA),
      phase: before.phase,
      thresholdMs: before.thresholdMs,
    });
  }

  #turnTo(phase: Phase, fromMs: number): void {
    if (this.#phase?.phase === phase && this.#phase.toMs === null) return;
    // A stamp of a record that came quicker can lie a breath before.
    const startMs = Math.max(fromMs, this.#phase?.fromMs ?? fromMs);
    if (this.#phase !== undefined) this.#phase.toMs ??= startMs;
    this.#phase = { kind: 'phase', fromMs: startMs, toMs: null, phase };
    this.#add(this.#phase);
  }

  #request(id: string, fromMs: number, streaming: boolean, promptTokens: number | undefined): RequestSpan {
    let request = this.#requests.get(id);
    if (request === undefined) {
      request = {
        kind: 'request',
        fromMs,
        toMs: null,
        id,
        streaming,
        promptTokens: promptTokens ?? null,
        firstContentMs: null,
        firstContentKind: null,
        outcome: null,
      };
      this.#requests.set(id, request);
      this.#add(request);
    }
    request.promptTokens ??= promptTokens ?? null;
    return request;
  }

  #tool(id: string, fromMs: number, name: string | undefined): ToolSpan {
    let tool = this.#tools.get(id);
    if (tool === undefined) {
      const span = { kind: 'tool', fromMs, toMs: null, id } as const;
      tool = { ...span, name: name ?? null, graceMs: null, updates: 0, outcome: null };
      this.#tools.set(id, tool);
      this.#add(tool);
    }
    tool.name ??= name ?? null;
    return tool;
  }

  #waitFor(wait: Pick<WaitSpan, 'for' | 'call'>, fromMs: number): void {
    if (this.#wait?.for === wait.for && this.#wait.call === wait.call) return;
    this.#waitOver(fromMs);
    this.#wait = { kind: 'wait', fromMs, toMs: null, ...wait };
    this.#add(this.#wait);
  }

  #waitOver(atMs: number): void {
    if (this.#wait === undefined) return;
    this.#wait.toMs = Math.max(atMs, this.#wait.fromMs);
    this.#wait = undefined;
  }

  #close(atMs: number): void {
    for (const id of [...this.#requests.keys()]) end(this.#requests, id, atMs, null);
    for (const id of [...this.#tools.keys()]) end(this.#tools, id, atMs, null);
    this.#waitOver(atMs);
    if (this.#phase !== undefined) this.#phase.toMs ??= Math.max(atMs, this.#phase.fromMs);
    this.#lastA = undefined;
  }

  #mark(what: Mark['what'], fromMs: number, detail: string | null): void {
    this.#add({ kind: 'mark', fromMs, what, detail, silenceMs: null, thresholdMs: null });
  }

  #add(entry: Entry): void {
    this.entries.push(entry);
    if (this.entries.length <= maxEntries) return;
    // Verdicts and what is open are what somebody will ask for.
    const worthless = this.entries.findIndex((old) => old.kind !== 'mark' && old.toMs !== null);
    this.entries.splice(Math.max(0, worthless), 1);
    this.dropped++;
  }
}

function end<T extends RequestSpan | ToolSpan>(
  open: Map<string, T>,
  id: string,
  atMs: number,
  outcome: T['outcome'],
): void {
  const span = open.get(id);
  if (span === undefined) return;
  span.toMs = Math.max(atMs, span.fromMs);
  span.outcome = outcome;
  open.delete(id);
}
