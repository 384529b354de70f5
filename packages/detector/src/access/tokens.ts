import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TokenScope } from '@turnwatch/protocol';

/** A token as the detector keeps it: its hash only. */
export interface TokenConfig {
  readonly id: string;
  /** Hex. */
  readonly sha256: string;
  readonly scopes: readonly TokenScope[];
  /** Only turns, events and endpoints of this parent. */
  readonly parent?: string;
  /** The way that records with this token come in by. Default: what the header `turnwatch-path` says. */
  readonly path?: string;
  /** Tokens of one owner may change each other's turns: those of a team, or the old and the new one of a rotation. Default: the id. */
  readonly owner?: string;
}

/** A token that records came with. */
export interface SenderToken {
  readonly id: string;
  /** Owns the turns that it starts. */
  readonly owner: string;
}

interface Token extends TokenConfig {
  readonly hash: Buffer;
}

export class Tokens {
  /** For the detector's own probe through its front door; new with each start. */
  readonly own: string = randomBytes(32).toString('base64url');
  #open = true;
  #tokens: readonly Token[] = [];
  readonly #onReplaced: (() => void)[] = [];

  constructor(configured: readonly TokenConfig[]) {
    this.replace(configured);
  }

  /** From here on these are valid, and no others. */
  replace(configured: readonly TokenConfig[]): void {
    const own: TokenConfig = { id: 'canary', sha256: sha256(this.own).toString('hex'), scopes: ['ingest'] };
    this.#tokens = [...configured, own].map((token) => ({
      ...token,
      hash: Buffer.from(token.sha256, 'hex'),
    }));
    this.#open = configured.length === 0;
    for (const work of this.#onReplaced) work();
  }

  /** Does it after each {@link replace}: what was let through by a token that is gone is to end. */
  onReplaced(work: () => void): void {
    this.#onReplaced.push(work);
  }

  /** No tokens are configured: whoever reaches the listener may do everything. */
  get open(): boolean {
    return this.#open;
  }

  /** The token of an `Authorization` header; undefined: none, or an unknown one. */
  find(authorization: string | undefined): TokenConfig | undefined {
    const [, given] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (given === undefined) return undefined;
    // Hashes have one length, and all of them are compared: the time says nothing of which one is near.
    const hash = sha256(given);
    let found: TokenConfig | undefined;
    for (const token of this.#tokens) if (timingSafeEqual(hash, token.hash)) found ??= token;
    return found;
  }

  /** Who sends records with a header; undefined where whoever reaches the listener may, and nobody is anybody. */
  sender(authorization: string | undefined): SenderToken | undefined | 'unknown' | 'forbidden' {
    const token = this.find(authorization);
    if (token === undefined) return this.open ? undefined : 'unknown';
    if (!token.scopes.some((has) => has === 'ingest' || has === 'admin')) return 'forbidden';
    return { id: token.id, owner: token.owner ?? token.id };
  }
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
