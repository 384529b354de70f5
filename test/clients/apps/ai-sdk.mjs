import { setTimeout as sleep } from 'node:timers/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, jsonSchema, streamText, tool } from 'ai';

const [, , baseURL, model] = process.argv;

// An agent as the AI SDK's documentation has it: it knows nothing of Turnwatch.
const wait = tool({
  inputSchema: jsonSchema({ type: 'object', properties: { seconds: { type: 'number' } } }),
  execute: async ({ seconds }) => {
    await sleep(seconds * 1000);
    return 'done';
  },
});
const { fullStream } = streamText({
  model: createOpenAICompatible({ name: 'scripted', baseURL: baseURL, apiKey: 'none' })(model),
  prompt: 'please work',
  tools: { wait },
  stopWhen: isStepCount(5),
  onError: ({ error }) => {
    process.stderr.write(`${error}\n`);
    process.exitCode = 1;
  },
});
for await (const part of fullStream) if (part.type === 'text-delta') process.stdout.write(part.text);
// What it has recorded goes out before it ends.
await globalThis.telemetry?.shutdown();
