import { startTurn } from '@turnwatch/instrumentation';
import { recordOf, textOf } from '@turnwatch/instrumentation/framework';
import { takeOffered } from './offered-prompts.ts';
import { startFrom } from './prompt-meta.ts';

/**
 * For the agent side: runs the handler of `session/prompt` as the prompt's turn, so that requests, tool calls and child
 * turns started inside belong to it. Takes the handler of `agent().onRequest` as well as `Agent.prompt`, and leaves what
 * it gets and gives as it is. Where the connection is not observed too, permission requests are not seen.
 */
export function promptHandler<Rest extends readonly unknown[], Input, Result>(
  handler: (input: Input, ...rest: Rest) => Result | PromiseLike<Result>,
): (input: Input, ...rest: Rest) => Promise<Result> {
  return (input, ...rest) => {
    const params = recordOf(recordOf(input).params ?? input);
    const sessionId = textOf(params.sessionId) ?? '';
    const prompt = takeOffered(sessionId);
    if (prompt !== undefined) prompt.isHandled = true;
    const turn =
      prompt?.turn ??
      startTurn({ conversationId: sessionId, provider: 'acp', ...startFrom(params, 'agent') });
    return turn.run(async () => {
      const result = await handler(input, ...rest);
      if (recordOf(result).stopReason === 'cancelled') turn.end({ outcome: 'cancelled' });
      return result;
    });
  };
}
