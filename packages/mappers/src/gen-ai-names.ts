/** Attributes of the GenAI conventions, old names and new (all in development, renamed during 2026). */
export const genAiNames = {
  operation: ['gen_ai.operation.name'],
  agent: ['gen_ai.agent.name', 'gen_ai.workflow.name'],
  conversation: ['gen_ai.conversation.id'],
  provider: ['gen_ai.provider.name', 'gen_ai.system'],
  model: ['gen_ai.request.model', 'gen_ai.response.model'],
} as const;

export const errorTypeName = 'error.type';

export const genAiAttributes: readonly string[] = [...Object.values(genAiNames).flat(), errorTypeName];
