import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

const model = createOpenAICompatible({ name: 'scripted', baseURL: process.env.MODEL_URL, apiKey: 'none' })(
  'm1',
);
const search = tool({
  inputSchema: z.object({ q: z.string() }),
  execute: async () => (await fetch(process.env.TOOL_URL)).text(),
});
const { textStream } = streamText({
  model,
  prompt: process.argv[2],
  tools: { search },
  stopWhen: stepCountIs(3),
  telemetry: { functionId: 'forecaster' },
});
for await (const part of textStream) process.stdout.write(part);
