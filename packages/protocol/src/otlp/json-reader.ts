import { OtlpError } from './error.ts';
import { maxStringLength } from './selection.ts';

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const hexEscape = /\\u[0-9a-fA-F]{4}/y;
const simpleEscapes = '"\\/bfnrt';
/** OTLP needs 12; what is nested deeper is refused rather than followed. */
const maxDepth = 256;

/** Each character of the longest string that is read may be written as an escape of six. */
const maxEscapedLength = 6 * maxStringLength;

const quote = 34;
const comma = 44;
const colon = 58;
const backslash = 92;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** By its first character, before it is read. */
function kindOf(char: number): string | undefined {
  if (char === openBrace) return 'an object';
  if (char === openBracket) return 'a list';
  if (char === quote) return 'a string';
  if (char === 110) return 'null';
  if (char === 116 || char === 102) return 'a boolean';
  return char === 45 || (char >= 48 && char <= 57) ? 'a number' : undefined;
}

export type Scalar = string | number | boolean | null;

/**
 * A cursor over JSON text that builds no tree: `JSON.parse` of four megabytes of empty records takes hundreds of
 * megabytes of heap. The whole text is still checked against the grammar, what is skipped too.
 * Throws OtlpError `malformed`.
 */
export class JsonReader {
  pos = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The whole text, which must be one object; only white space may follow it. */
  root(what: string, member: (key: string) => void): void {
    if (this.#peek() !== openBrace) throw this.#wrong(what, 'an object');
    this.object(what, member);
    if (!Number.isNaN(this.#peek())) throw this.#malformed('text after the end');
  }

  /**
   * Calls `member` for each key, the cursor at its value, which it must read or skip. Null is an absent object; any
   * other value is none of the schema's, and an exporter that sends it must hear so instead of an empty success.
   */
  object(what: string, member: (key: string) => void): void {
    if (this.#peek() !== openBrace) {
      this.#absent(what, 'an object');
      return;
    }
    this.pos++;
    if (this.#take(closeBrace)) return;
    do {
      const key = this.#string();
      this.#expect(colon);
      member(key);
    } while (this.#take(comma));
    this.#expect(closeBrace);
  }

  /** Calls `element` at each element, which it must read or skip. Null is an absent list. */
  array(what: string, element: () => void): void {
    if (this.#peek() !== openBracket) {
      this.#absent(what, 'a list');
      return;
    }
    this.pos++;
    if (this.#take(closeBracket)) return;
    do element();
    while (this.#take(comma));
    this.#expect(closeBracket);
  }

  /** A string, number, boolean or null; undefined for an object or array, which is skipped. */
  scalar(): Scalar | undefined {
    const char = this.#peek();
    if (char === quote) return this.#string();
    if (char === openBrace || char === openBracket) {
      this.skip();
      return undefined;
    }
    const start = this.pos;
    const token = this.#literal();
    if (token === 'true') return true;
    if (token === 'false') return false;
    return token === 'null' ? null : Number(this.#text.slice(start, this.pos));
  }

  /** Skips one value without recursion. */
  skip(): void {
    const closers: number[] = [];
    for (;;) {
      const char = this.#peek();
      if (char === openBrace || char === openBracket) {
        this.pos++;
        const closer = char === openBrace ? closeBrace : closeBracket;
        if (!this.#take(closer)) {
          if (closers.length >= maxDepth) throw this.#malformed('nested too deep');
          closers.push(closer);
          if (closer === closeBrace) this.#skipKey();
          continue;
        }
      } else if (char === quote) this.#endOfString();
      else this.#literal();
      // A value is complete: on to the next one, out of whatever ends here.
      for (;;) {
        const closer = closers.at(-1);
        if (closer === undefined) return;
        if (this.#take(comma)) {
          if (closer === closeBrace) this.#skipKey();
          break;
        }
        this.#expect(closer);
        closers.pop();
      }
    }
  }

  /** Reads at a place that was passed before, and comes back. */
  backAt<Result>(at: number, read: () => Result): Result {
    const end = this.pos;
    this.pos = at;
    const result = read();
    this.pos = end;
    return result;
  }

  #absent(what: string, wanted: string): void {
    if (kindOf(this.#peek()) !== 'null') throw this.#wrong(what, wanted);
    this.skip();
  }

  #wrong(what: string, wanted: string): OtlpError {
    const found = kindOf(this.#peek());
    if (found === undefined) return this.#malformed('a value expected');
    return new OtlpError('malformed', `${what} must be ${wanted}, not ${found}, at character ${this.pos}`);
  }

  #skipKey(): void {
    if (this.#peek() !== quote) throw this.#malformed('a key expected');
    this.#endOfString();
    this.#expect(colon);
  }

  #string(): string {
    if (this.#peek() !== quote) throw this.#malformed('a string expected');
    const start = this.pos;
    const plain = this.#endOfString();
    // A string of megabytes is cut before it is unescaped: nobody wants more of it than the longest that is read.
    const end = Math.min(this.pos - 1, start + 1 + maxEscapedLength);
    const text = this.#text.slice(start + 1, end);
    if (plain) return text;
    return text.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, escaped: string) => this.#unescape(escaped));
  }

  /** Of an escape that has been checked. */
  #unescape(escaped: string): string {
    if (escaped.length === 5) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return '"\\/\b\f\n\r\t'.charAt(simpleEscapes.indexOf(escaped));
  }

  /** Moves behind the closing quote; true if nothing in the string is escaped. */
  #endOfString(): boolean {
    const text = this.#text;
    let plain = true;
    for (let at = this.pos + 1; at < text.length; at++) {
      const char = text.charCodeAt(at);
      if (char === quote) {
        this.pos = at + 1;
        return plain;
      }
      if (char === backslash) {
        plain = false;
        this.pos = at;
        at += this.#escapeLength(text.charAt(at + 1)) - 1;
      } else if (char < 32) {
        this.pos = at;
        throw this.#malformed('a control character in a string');
      }
    }
    throw this.#malformed('a string without an end');
  }

  #escapeLength(kind: string): number {
    if (kind !== '' && simpleEscapes.includes(kind)) return 2;
    hexEscape.lastIndex = this.pos;
    if (!hexEscape.test(this.#text)) throw this.#malformed('an escape that is none');
    return 6;
  }

  #literal(): string {
    const text = this.#text;
    for (const word of ['true', 'false', 'null']) {
      if (!text.startsWith(word, this.pos)) continue;
      this.pos += word.length;
      return word;
    }
    number.lastIndex = this.pos;
    if (!number.test(text)) throw this.#malformed('a value expected');
    this.pos = number.lastIndex;
    return 'number';
  }

  /** The next character that is no white space; NaN at the end. */
  #peek(): number {
    const text = this.#text;
    let char = text.charCodeAt(this.pos);
    while (char === 32 || char === 10 || char === 13 || char === 9) char = text.charCodeAt(++this.pos);
    return char;
  }

  #take(char: number): boolean {
    if (this.#peek() !== char) return false;
    this.pos++;
    return true;
  }

  #expect(char: number): void {
    if (!this.#take(char)) throw this.#malformed(`'${String.fromCharCode(char)}' expected`);
  }

  #malformed(what: string): OtlpError {
    return new OtlpError('malformed', `not JSON: ${what} at character ${this.pos}`);
  }
}
