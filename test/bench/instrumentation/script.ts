const head =
  '"id":"chatcmpl-9lNy7uRzQsXuCqSmTtF6kqLwZ2f1V","object":"chat.completion.chunk","created":1796038995,"model":"gpt-5.5-mini-2026-08-01","service_tier":"default","system_fingerprint":"fp_44add55d3c"';

/** One chunk of the answer, as on the wire. */
export const chunkText = `data: {${head},"choices":[{"index":0,"delta":{"content":" weather"},"logprobs":null,"finish_reason":null}],"usage":null}\n\n`;

/** Two more chunks and the end. */
export const endingText =
  `data: {${head},"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}\n\n` +
  `data: {${head},"choices":[],"usage":{"prompt_tokens":812,"completion_tokens":400,"total_tokens":1212}}\n\n` +
  'data: [DONE]\n\n';
