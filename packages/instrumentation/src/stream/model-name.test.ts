import { describe, expect, it } from 'vitest';
import { ModelName } from './model-name.ts';

function read(path: string, ...pieces: (string | Uint8Array)[]): string | undefined {
  const name = new ModelName(path);
  for (const piece of pieces) name.push(piece);
  return name.value;
}

describe('the model a request asks for', () => {
  it('is in its body, however that is cut', () => {
    const body = '{"messages":[{"content":"say \\"model\\":\\"x\\""}], "model" : "gpt-5", "stream":true}';
    expect(read('/v1/chat/completions', body)).toBe('gpt-5');
    for (let at = 1; at < body.length; at++)
      expect(read('/v1/chat/completions', body.slice(0, at), Buffer.from(body.slice(at)))).toBe('gpt-5');
  });

  it('or in its path', () => {
    expect(read('/v1beta/models/gemini-3-pro:streamGenerateContent', '{"contents":[]}')).toBe('gemini-3-pro');
  });

  it('or nowhere', () => {
    expect(read('/v1/chat/completions', '{"tool":{"model":{"type":"string"}}}')).toBeUndefined();
  });
});
