export { chatCompletions } from './provider/chat-completions.ts';
export type { Answer, Dialect, ModelRequest, ToolCall } from './provider/dialect.ts';
export { generateContent } from './provider/generate-content.ts';
export { messages } from './provider/messages.ts';
export type { Pace } from './provider/play.ts';
export { responses } from './provider/responses.ts';
export { inOrder, type Script, type Step } from './provider/script.ts';
export { type ProviderOptions, ScriptedProvider } from './provider/scripted-provider.ts';
