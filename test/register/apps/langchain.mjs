import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { TurnwatchCallbackHandler } from '@turnwatch/instrumentation-langchain';
import { z } from 'zod';

const llm = new ChatOpenAI({
  model: 'm1',
  apiKey: 'none',
  maxRetries: 0,
  configuration: { baseURL: process.env.MODEL_URL },
});
const search = tool(async () => (await fetch(process.env.TOOL_URL)).text(), {
  name: 'search',
  description: 'finds',
  schema: z.object({ q: z.string() }),
});
const agent = createReactAgent({ llm, tools: [search], name: 'forecaster' });
const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: process.argv[2] }] },
  { callbacks: [new TurnwatchCallbackHandler({ preferStreaming: true })] },
);
process.stdout.write(String(messages.at(-1)?.content));
