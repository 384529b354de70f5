import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseFlags } from '../flags.ts';
import { waitFlags } from './command.ts';

interface Hook {
  readonly type: string;
  readonly command: string;
  readonly asyncRewake: boolean;
  readonly timeout: number;
}
interface Settings {
  readonly hooks: { readonly Stop: readonly { readonly hooks: readonly Hook[] }[] };
}

const document = readFileSync(new URL('../../../../docs/wake-an-agent.md', import.meta.url), 'utf8');

// anthropics/claude-code#66415: an agent that was woken 362 times by one notice.
it('the hook in the documentation is JSON, has flags that exist, remembers, and ends before it is killed', () => {
  const settings = JSON.parse(/```json\n(.*?)```/s.exec(document)?.[1] ?? '') as Settings;
  const [hook] = settings.hooks.Stop[0]?.hooks ?? [];
  expect(hook).toMatchObject({ type: 'command', asyncRewake: true });
  const [program, command, ...args] = hook?.command.replaceAll('"', '').split(' ') ?? [];
  expect([program, command]).toEqual(['turnwatch', 'wait']);
  const { flags, operands } = parseFlags(args, waitFlags);
  expect(operands).toEqual([]);
  expect(flags).toMatchObject({ parent: '$TURNWATCH_PARENT_ID', remember: expect.any(String) });
  expect(flags.timeout).toBeLessThan(hook?.timeout ?? 0);
});

it('every call of it in the documentation has flags that exist', () => {
  const calls = [...document.matchAll(/^turnwatch wait (.*?) 2>/gm)];
  expect(calls.length).toBeGreaterThan(0);
  for (const [, args = ''] of calls) expect(() => parseFlags(args.split(' '), waitFlags)).not.toThrow();
});
