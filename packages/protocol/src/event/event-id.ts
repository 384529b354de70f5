import { createHash } from 'node:crypto';
import type { SourceSilentEvent, TurnEvent } from '@turnwatch/core';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

export interface EventIdParts {
  readonly type: string;
  /** '' where the event is about no turn. */
  readonly turn: string;
  readonly attempt: number | '';
  readonly request?: string;
  /** Episode; for `source.silent` path and first instant; '' where the event happens once an attempt. */
  readonly episode: number | string;
}

/**
 * `evt_` and 26 characters: the same parts give the same id on every detector, so that a restarted one sends the same
 * event again and not a second one. No `.` in it: Standard Webhooks sign `id.timestamp.body`.
 */
export function eventId(parts: EventIdParts): string {
  const lines = [parts.type, parts.turn, parts.attempt, parts.request ?? '', parts.episode];
  const digest = createHash('sha256').update(lines.join('\n')).digest();
  return `evt_${base32(digest.subarray(0, 16))}`;
}

/** The id of a verdict. The horizon of a turn or a request passes once, in whatever episode: its id has none. */
export function eventIdOf(event: TurnEvent | SourceSilentEvent): string {
  switch (event.type) {
    case 'source.silent':
      return eventId({ type: event.type, turn: '', attempt: '', episode: `${event.path}/${event.sinceMs}` });
    case 'turn.stale':
    case 'turn.suspect':
      return eventId({ ...about(event), episode: event.stale.episode });
    case 'turn.recovered':
      return eventId({ ...about(event), episode: event.recovered.episode });
    case 'turn.expired':
      return eventId({ ...about(event), episode: '' });
    case 'request.expired':
      return eventId({ ...about(event), request: event.request, episode: '' });
  }
}

/** The id that the `turn.stale` of this episode has, or would have. */
export function staleEventId(turn: string, attempt: number, episode: number): string {
  return eventId({ type: 'turn.stale', turn, attempt, episode });
}

function about(event: TurnEvent): { type: string; turn: string; attempt: number } {
  return { type: event.type, turn: event.turn, attempt: event.attempt };
}

/** RFC 4648 in lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet.charAt((value >>> (bits - 5)) & 31);
    value &= 0xff;
  }
  return bits > 0 ? text + alphabet.charAt((value << (5 - bits)) & 31) : text;
}
