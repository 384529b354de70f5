import type { TimelineDocument, TimelineEntry } from '@turnwatch/protocol';
import { grouped, spell, spellStill } from './words.ts';

const phaseNames: Readonly<Record<string, string>> = {
  queued: 'queued',
  first_token: 'first token',
  reasoning: 'reasoning',
  text: 'text',
  tool_args: 'tool arguments',
  non_streaming: 'no streaming',
  compacting: 'compacting',
  agent: 'own code',
  tool: 'tools',
  waiting: 'waiting',
  idle: 'idle',
};

export function phaseName(phase: string): string {
  return phaseNames[phase] ?? phase;
}

export function startOf(entry: TimelineEntry): string {
  return entry.kind === 'mark' ? entry.at : entry.from;
}

const markWords: Readonly<Record<Extract<TimelineEntry, { kind: 'mark' }>['what'], string>> = {
  started: 'started',
  attempt: 'next attempt',
  adopted: 'moved to another process',
  ended: 'ended',
  provider_error: 'provider error',
  suspect: 'became suspect',
  stale: 'became stale',
  recovered: 'recovered',
  expired: 'expired',
  request_expired: 'a request expired',
  operator: 'operator',
};

/** One entry in words, for the list beside the drawing. */
export function entryWords(entry: TimelineEntry, nowMs: number): string {
  switch (entry.kind) {
    case 'mark': {
      const held =
        entry.silenceMs === null || entry.thresholdMs === null
          ? ''
          : `, silent for ${spellStill(entry.silenceMs)} of ${spellStill(entry.thresholdMs)}`;
      return `${markWords[entry.what]}${entry.detail === null ? '' : `: ${entry.detail}`}${held}`;
    }
    case 'phase':
      return `phase ${phaseName(entry.phase)}, ${lasted(entry, nowMs)}`;
    case 'request': {
      const prompt = entry.promptTokens === null ? '' : `, ${grouped(entry.promptTokens)} prompt tokens`;
      const first =
        entry.firstContentAt === null
          ? ''
          : `, first ${entry.firstContentKind === null ? 'content' : phaseName(entry.firstContentKind)} after ${spell(Date.parse(entry.firstContentAt) - Date.parse(entry.from))}`;
      return `request ${entry.id}${prompt}${first}, ${lasted(entry, nowMs)}${outcome(entry.outcome)}`;
    }
    case 'tool': {
      const grace = entry.graceMs === null ? '' : `, grace ${spellStill(entry.graceMs)}`;
      const updates = entry.updates === 0 ? '' : `, ${grouped(entry.updates)} updates`;
      return `tool ${entry.name ?? entry.id}${grace}${updates}, ${lasted(entry, nowMs)}${outcome(entry.outcome)}`;
    }
    case 'wait':
      return `waits for ${entry.for.replace('_', ' ')}, ${lasted(entry, nowMs)}`;
    case 'gap':
      return `silent for ${spellStill(entry.ms)} of ${spellStill(entry.thresholdMs)} in ${phaseName(entry.phase)}, then went on`;
  }
}

function lasted({ from, to }: { readonly from: string; readonly to: string | null }, nowMs: number): string {
  const ms = (to === null ? nowMs : Date.parse(to)) - Date.parse(from);
  return to === null ? `open for ${spell(ms)}` : spell(ms);
}

function outcome(word: string | null): string {
  return word === null || word === 'completed' ? '' : `, ${word}`;
}

/** What is missing at its beginning; empty where nothing is. */
export function beginWords({ begins, droppedEntries }: TimelineDocument): string {
  switch (begins) {
    case 'turn_start':
      return '';
    case 'detector_start':
      return 'The turn is older than this run of the detector: what came before it started is not here.';
    case 'first_heard':
      return 'Its start was not received: the timeline begins with the first record that was.';
    case 'dropped':
      return droppedEntries > 0
        ? `${grouped(droppedEntries)} older entries were dropped: a timeline keeps the newest.`
        : 'Its beginning was dropped to bound memory.';
  }
}
