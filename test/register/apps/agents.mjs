import { Agent, addTraceProcessor, OpenAIProvider, Runner, tool } from '@openai/agents';
import { TurnwatchProcessor } from '@turnwatch/instrumentation-openai-agents';
import { z } from 'zod';

addTraceProcessor(new TurnwatchProcessor({ turn: { agent: 'forecaster', model: 'm1' } }));

const search = tool({
  name: 'search',
  description: 'finds',
  parameters: z.object({ q: z.string() }),
  execute: async () => (await fetch(process.env.TOOL_URL)).text(),
});
const agent = new Agent({ name: 'forecaster', instructions: 'be brief', tools: [search] });
const modelProvider = new OpenAIProvider({
  baseURL: process.env.MODEL_URL,
  apiKey: 'none',
  useResponses: false,
});
const stream = await new Runner({ modelProvider, model: 'm1' }).run(agent, process.argv[2], { stream: true });
for await (const part of stream.toTextStream()) process.stdout.write(part);
await stream.completed;
