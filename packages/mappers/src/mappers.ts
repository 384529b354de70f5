import type { Plugin } from '@turnwatch/plugin';
import { aiSdk } from './ai-sdk.ts';
import { aiSdkChannel } from './ai-sdk-channel.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { geminiCli } from './gemini-cli.ts';
import { genAi } from './gen-ai.ts';
import { genAiEvents } from './gen-ai-events.ts';
import { opencode } from './opencode.ts';
import { openInference } from './openinference.ts';
import { openLlmetry } from './openllmetry.ts';
import { qwenCode } from './qwen-code.ts';

/** All of them, live sources first: what they know of a turn is there before its spans are. */
export const mappers: readonly Plugin<'mapper', undefined>[] = [
  codex,
  geminiCli,
  qwenCode,
  opencode,
  claudeCode,
  aiSdkChannel,
  genAiEvents,
  aiSdk,
  openInference,
  openLlmetry,
  genAi,
];
