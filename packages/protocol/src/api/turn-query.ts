import type { TurnStateName } from '@turnwatch/core';
import { z } from 'zod';
import { turnStates } from '../vocabulary.ts';
import { wholeNumber } from './whole-number.ts';

export interface TurnQuery {
  readonly state?: TurnStateName;
  readonly parent?: string;
  readonly conversation?: string;
  readonly agent?: string;
  /** `told`: also who was told of each, and when. */
  readonly include?: 'told';
  readonly cursor?: string;
  /** 1 to 1000, default 100. */
  readonly limit: number;
}

const text = z.string().min(1).max(128);

/** Query of `GET /v1/turns`, from strings. An unknown parameter is an error: a mistyped filter would answer with all. */
export const turnQuery: z.ZodType<TurnQuery> = z.strictObject({
  state: z.enum(turnStates).exactOptional(),
  parent: text.exactOptional(),
  conversation: text.exactOptional(),
  agent: text.exactOptional(),
  include: z.literal('told').exactOptional(),
  cursor: z.string().min(1).max(512).exactOptional(),
  limit: wholeNumber(1, 1000, 100),
});
