import { anthropic } from './anthropic.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { gemini } from './gemini.ts';
import { generic } from './generic.ts';
import { lmStudio } from './lm-studio.ts';
import { ollama } from './ollama.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

const dialects: readonly Dialect[] = [
  openaiChat,
  anthropic,
  openaiResponses,
  gemini,
  ollama,
  lmStudio,
  generic,
];

/** The dialect whose model requests go to this path, without its query; `undefined`: it is no model request. */
export function dialectOfPath(path: string): Dialect | undefined {
  return dialects.find((dialect) => dialect.takes(path));
}

export function dialectNamed(name: DialectName): Dialect {
  return dialects.find((dialect) => dialect.name === name) ?? generic;
}
