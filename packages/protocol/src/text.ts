import { maxTextLength } from './names.ts';

// Strings that agents choose reach other agents' prompts and people's terminals. What could start a line there, turn
// it around, or hide in it is taken out: control characters (C0, C1), line and paragraph separators, bidirectional
// overrides, invisible tag characters, byte order marks.

const harmless = /^[ -~]*$/;
const harmful = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Halves of surrogate pairs become U+FFFD, as in every text that passes UTF-8: an id stays one id, however it was sent. */
function strip(raw: string): string {
  return harmless.test(raw) ? raw : raw.toWellFormed().replace(harmful, '');
}

/** Never between the halves of a surrogate pair. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** A name or kind as it may be shown: stripped of harmful characters, cut at {@link maxTextLength}. May be empty. */
export function cleanText(raw: string): string {
  // What lies far behind the cut is not even looked at: a hostile string may have megabytes.
  const stripped = strip(raw.length > 4 * maxTextLength ? cut(raw, 4 * maxTextLength) : raw);
  return stripped.length > maxTextLength ? cut(stripped, maxTextLength) : stripped;
}

/**
 * An id as it is kept: as {@link cleanText}, but a longer id ends in a hash of the whole, so that two long ids with the
 * same beginning stay two. Producer and detector agree on it: cleaning twice changes nothing. May be empty.
 */
export function cleanId(raw: string): string {
  const stripped = strip(raw);
  if (stripped.length <= maxTextLength) return stripped;
  return `${cut(stripped, maxTextLength - 15)}~${hash53(stripped).toString(36).padStart(11, '0')}`;
}

/** 53 bits out of two 32-bit multiplicative hashes: no secret, only far fewer collisions than a bare cut. */
function hash53(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    high ^= high >>> 13;
  }
  low ^= low >>> 15;
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}
