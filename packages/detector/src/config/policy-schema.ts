import type { PolicyInput } from '@turnwatch/core';
import { judgedPhases } from '@turnwatch/protocol';
import { z } from 'zod';
import { count, map, ms, must, ratio, text } from './words.ts';

const thresholdMs = z.strictObject(
  Object.fromEntries(judgedPhases.map((phase) => [phase, ms.exactOptional()])),
  map,
);

/** PolicyInput of core; what makes no sense together is core's to say. */
export const policySchema: z.ZodType<PolicyInput> = z.strictObject(
  {
    preset: z.enum(['strict', 'measured'], must('strict or measured')).exactOptional(),
    defaultThresholdMs: thresholdMs.exactOptional(),
    floorMs: z
      .union(
        [ms, z.strictObject({ first_token: ms.exactOptional(), other: ms.exactOptional() })],
        must('a number of milliseconds, or {first_token, other}'),
      )
      .exactOptional(),
    minSamples: count.exactOptional(),
    margin: ratio.exactOptional(),
    confirmRatio: ratio.exactOptional(),
    engineGraceMs: ms.exactOptional(),
    keepaliveApiMs: ms.exactOptional(),
    toolIdleTimeoutMs: ms.exactOptional(),
    pendingGraceMultiplier: ratio.exactOptional(),
    longPauseMs: ms.exactOptional(),
    unreachableMs: z
      .strictObject({ server: ms.exactOptional(), portable: ms.exactOptional() }, map)
      .exactOptional(),
    blockedMs: ms.exactOptional(),
    noContentMs: ms.exactOptional(),
    handoverMs: ms.exactOptional(),
    defaultExpiresAfterMs: ms.exactOptional(),
    priors: z
      .array(
        z.strictObject({
          provider: text.exactOptional(),
          model: text.exactOptional(),
          route: z.enum(['api', 'local'], must('api or local')).exactOptional(),
          thresholdMs,
        }),
        must('a list of {provider, model, route, thresholdMs}'),
      )
      .exactOptional(),
  },
  map,
);
