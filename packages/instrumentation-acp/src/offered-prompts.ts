import type { PromptTurn } from './prompt-turn.ts';

// A message and the handler that gets it share no async context: the handler finds its turn by the session's id.
const offered: Map<string, PromptTurn> = new Map();

/** The turn of a prompt that has come in, for the handler that will be called with it. */
export function offer(prompt: PromptTurn): void {
  offered.set(prompt.sessionId, prompt);
}

export function withdraw(prompt: PromptTurn): void {
  if (offered.get(prompt.sessionId) === prompt) offered.delete(prompt.sessionId);
}

export function takeOffered(sessionId: string): PromptTurn | undefined {
  const prompt = offered.get(sessionId);
  if (prompt !== undefined) offered.delete(sessionId);
  return prompt;
}
