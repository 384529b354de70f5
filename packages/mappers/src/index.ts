export { aiSdkChannel } from './ai-sdk-channel.ts';
export { claudeCode } from './claude-code.ts';
export { codex } from './codex.ts';
export { geminiCli } from './gemini-cli.ts';
export { genAi, genAiMapper } from './gen-ai.ts';
export { qwenCode } from './qwen-code.ts';
