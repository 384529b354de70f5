import type { ContentKind, Phase, SettledOutcome, WaitingFor } from '@turnwatch/core';
import type { MarkEntry, TimelineEntry } from '@turnwatch/protocol';

// Entries as they are recorded: instants are ms on the detector's wall clock, and an open one is changed in place.

interface OpenSpan {
  readonly fromMs: number;
  toMs: number | null;
}

export interface PhaseSpan extends OpenSpan {
  readonly kind: 'phase';
  readonly phase: Phase;
}

export interface RequestSpan extends OpenSpan {
  readonly kind: 'request';
  readonly id: string;
  readonly streaming: boolean;
  promptTokens: number | null;
  firstContentMs: number | null;
  firstContentKind: ContentKind | null;
  outcome: SettledOutcome | null;
}

export interface ToolSpan extends OpenSpan {
  readonly kind: 'tool';
  readonly id: string;
  name: string | null;
  graceMs: number | null;
  updates: number;
  outcome: SettledOutcome | null;
}

export interface WaitSpan extends OpenSpan {
  readonly kind: 'wait';
  readonly for: WaitingFor;
  readonly call: string | null;
}

interface GapSpan {
  readonly kind: 'gap';
  readonly fromMs: number;
  readonly toMs: number;
  readonly phase: Phase;
  readonly thresholdMs: number;
}

export interface Mark {
  readonly kind: 'mark';
  readonly fromMs: number;
  readonly what: MarkEntry['what'];
  readonly detail: string | null;
  readonly silenceMs: number | null;
  readonly thresholdMs: number | null;
}

export type Entry = PhaseSpan | RequestSpan | ToolSpan | WaitSpan | GapSpan | Mark;

export function documentOf(entry: Entry): TimelineEntry {
  const from = iso(entry.fromMs);
  switch (entry.kind) {
    case 'mark': {
      const { kind, what, detail } = entry;
      return {
        kind,
        at: from,
        what,
        detail,
        silenceMs: whole(entry.silenceMs),
        thresholdMs: whole(entry.thresholdMs),
      };
    }
    case 'gap':
      return {
        kind: 'gap',
        from,
        to: iso(entry.toMs),
        ms: Math.round(entry.toMs - entry.fromMs),
        phase: entry.phase,
        thresholdMs: Math.round(entry.thresholdMs),
      };
    case 'phase':
      return { kind: 'phase', from, to: isoOrNull(entry.toMs), phase: entry.phase };
    case 'request': {
      const { kind, id, streaming, promptTokens, firstContentKind, outcome } = entry;
      const firstContentAt = isoOrNull(entry.firstContentMs);
      const to = isoOrNull(entry.toMs);
      return { kind, from, to, id, streaming, promptTokens, firstContentAt, firstContentKind, outcome };
    }
    case 'tool': {
      const { kind, id, name, updates, outcome } = entry;
      return {
        kind,
        from,
        to: isoOrNull(entry.toMs),
        id,
        name,
        graceMs: whole(entry.graceMs),
        updates,
        outcome,
      };
    }
    case 'wait':
      return { kind: 'wait', from, to: isoOrNull(entry.toMs), for: entry.for, call: entry.call };
  }
}

function iso(ms: number): string {
  return new Date(Math.round(ms)).toISOString();
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

/** Null also for what never ends: JSON has no infinity. */
function whole(ms: number | null): number | null {
  return ms === null || !Number.isFinite(ms) ? null : Math.max(0, Math.round(ms));
}
