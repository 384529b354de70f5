import { type TokenScope, tokenScopes } from '@turnwatch/protocol';
import { z } from 'zod';
import { pathName } from './canary-schema.ts';
import { map, must, text } from './words.ts';

/** A token as written: itself, the name of a variable that holds it, or its SHA-256. */
export interface TokenInput {
  /** For the log; it is no secret. */
  readonly id: string;
  readonly token?: string;
  readonly tokenEnv?: string;
  /** Hex: what `printf %s TOKEN | sha256sum` prints. */
  readonly sha256?: string;
  readonly scopes: readonly TokenScope[];
  /** Only turns, events and endpoints of this parent. */
  readonly parent?: string;
  /** The way that records with this token come in by, whatever their header says. Default: what the header says. */
  readonly path?: string;
  /** Tokens of one owner share the turns that they start. Default: the id. */
  readonly owner?: string;
}

export const shortestToken = 16;

const name = z
  .string(must('a name'))
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, must('a name of 1 to 64 letters, digits, ".", "_" or "-"'));

export const tokenSchema: z.ZodType<TokenInput> = z
  .strictObject(
    {
      id: name,
      token: text.exactOptional(),
      tokenEnv: text.exactOptional(),
      sha256: z
        .string(must('a SHA-256 in hex'))
        .regex(/^[0-9a-fA-F]{64}$/, must('a SHA-256 in hex, 64 digits'))
        .exactOptional(),
      scopes: z
        .array(z.enum(tokenScopes, must(`one of ${tokenScopes.join(', ')}`)), must('a list of scopes'))
        .min(1, must('at least one scope')),
      parent: text.exactOptional(),
      path: pathName.exactOptional(),
      owner: name.exactOptional(),
    },
    map,
  )
  .refine(
    (given) => [given.token, given.tokenEnv, given.sha256].filter((one) => one !== undefined).length === 1,
    {
      error:
        'needs exactly one of token, tokenEnv or sha256; make a token with: ' +
        `node -p "require('crypto').randomBytes(32).toString('base64url')"`,
      params: { drops: ['token'] },
    },
  )
  .refine((given) => given.parent === undefined || !given.scopes.includes('admin'), {
    error: 'takes no parent together with the scope admin, which is about everything',
    params: { drops: ['parent'] },
  });
