import { definePlugin, type Plugin } from '@turnwatch/plugin';
import { GeminiFamilyMapper } from './gemini-family.ts';

/**
 * Qwen Code, a fork of Gemini CLI: the same log events, and a span `qwen-code.interaction` that ends with the turn. Its
 * memory runs after the turn under a prompt of its own, which is no turn that somebody asked for.
 */
export const qwenCode: Plugin<'mapper', undefined> = definePlugin({
  apiVersion: 1,
  kind: 'mapper',
  name: 'qwen-code',
  create: () =>
    new GeminiFamilyMapper({
      prefix: 'qwen-code',
      agent: 'qwen-code',
      exporterDelayMs: 2000,
      turnSpan: 'qwen-code.interaction',
      ignores: /#managed-/,
    }),
});
