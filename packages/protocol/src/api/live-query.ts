import type { TurnStateName } from '@turnwatch/core';
import { z } from 'zod';
import { turnStates } from '../vocabulary.ts';
import { wholeNumber } from './whole-number.ts';

export interface LiveQuery {
  readonly state?: TurnStateName;
  readonly agent?: string;
  readonly parent?: string;
  /** One turn alone. */
  readonly turn?: string;
  /** Is in the id, agent, parent, model, provider, conversation or process, whatever its case. */
  readonly text?: string;
  /** 1 to 500, default 100: the most urgent. */
  readonly limit: number;
}

const text = z.string().min(1).max(128);

/** Query of `GET /v1/live`, from strings. */
export const liveQuery: z.ZodType<LiveQuery> = z.strictObject({
  state: z.enum(turnStates).exactOptional(),
  agent: text.exactOptional(),
  parent: text.exactOptional(),
  turn: text.exactOptional(),
  text: text.exactOptional(),
  limit: wholeNumber(1, 500, 100),
});
