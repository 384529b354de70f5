import { z } from 'zod';

// The kinds of values that the configuration is made of.

/** Completes the sentence "<path> ...". */
export const must = (what: string): { error: string } => ({ error: `must be ${what}` });
export const text: z.ZodType<string> = z.string(must('a text')).min(1, must('a text that is not empty'));
export const flag: z.ZodType<boolean> = z.boolean(must('true or false'));
export const ms: z.ZodType<number> = z
  .number(must('a number of milliseconds'))
  .min(0, must('a number of milliseconds, 0 or more'));
export const ratio: z.ZodType<number> = z
  .number(must('a number, 0 or more'))
  .min(0, must('a number, 0 or more'));
export const count: z.ZodType<number> = z
  .int(must('a whole number, 0 or more'))
  .min(0, must('a whole number, 0 or more'));
export const map: { readonly error: string } = must('a map of keys');
