import { definePlugin, type Plugin } from '@turnwatch/plugin';
import { GeminiFamilyMapper } from './gemini-family.ts';

/** Google's Gemini CLI. Its logs go out every five seconds; a turn's end is told nowhere. */
export const geminiCli: Plugin<'mapper', undefined> = definePlugin({
  apiVersion: 1,
  kind: 'mapper',
  name: 'gemini-cli',
  create: () => new GeminiFamilyMapper({ prefix: 'gemini_cli', agent: 'gemini-cli', exporterDelayMs: 5000 }),
});
