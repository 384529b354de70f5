import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxTextLength } from './names.ts';
import { cleanId, cleanText } from './text.ts';

describe('cleanText', () => {
  it.each([
    ['a newline and a carriage return', 'a\r\nb', 'ab'],
    ['a C0 control and DEL', 'a\u0000\u001b[31m\u007fb', 'a[31mb'],
    ['a C1 control', 'a\u009b31mb', 'a31mb'],
    ['bidirectional overrides and isolates', '\u202eabc\u2066d\u2069\u200f', 'abcd'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'abc'],
    ['invisible tag characters', 'a\u{e0041}\u{e0042}b', 'ab'],
    ['a byte order mark', '\ufeffa', 'a'],
  ])('takes out %s', (_, raw, clean) => {
    expect(cleanText(raw)).toBe(clean);
    expect(cleanId(raw)).toBe(clean);
  });

  it('replaces half a surrogate pair, as every encoder of UTF-8 does', () => {
    for (const raw of [
      'a\ud83db',
      'a\ude00b',
      new TextDecoder().decode(new TextEncoder().encode('a\ud83db')),
    ]) {
      expect(cleanText(raw)).toBe('a\ufffdb');
      expect(cleanId(raw)).toBe('a\ufffdb');
    }
  });

  it('leaves other scripts and emoji sequences as they are', () => {
    const text = 'агент-3 エージェント 👩‍💻 می‌خواهم';
    expect(cleanText(text)).toBe(text);
  });

  it('never cuts between the halves of a surrogate pair', () => {
    expect(cleanText(`${'x'.repeat(maxTextLength - 1)}😀`)).toBe('x'.repeat(maxTextLength - 1));
  });

  it('is idempotent and bounded for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (raw) => {
        for (const clean of [cleanText, cleanId]) {
          const once = clean(raw);
          expect(once.length).toBeLessThanOrEqual(maxTextLength);
          expect(clean(once)).toBe(once);
        }
      }),
    );
  });
});

describe('cleanId', () => {
  it('keeps two long ids with one beginning apart', () => {
    const start = 'step/'.repeat(40);
    const ids = Array.from({ length: 5000 }, (_, n) => cleanId(`${start}${n}`));
    expect(new Set(ids).size).toBe(5000);
    expect(ids[0]?.length).toBeLessThanOrEqual(maxTextLength);
  });
});
