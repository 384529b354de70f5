import type { ForeignLog, ForeignRecord, ForeignSpan, SignalMapper } from '@turnwatch/plugin';
import { TestHost } from '@turnwatch/plugin/testing';
import { expect, test } from 'vitest';
import { inShort, recorded, told } from '../fixtures/recorded.ts';
import { geminiCli } from './gemini-cli.ts';
import { qwenCode } from './qwen-code.ts';

const made = async (plugin: typeof geminiCli): Promise<SignalMapper> =>
  (await plugin.create(undefined, new TestHost())) as SignalMapper;
const session = 'b6f1';
const log = (
  name: string,
  attributes: ForeignLog['attributes'] = {},
  more: Partial<ForeignLog> = {},
): ForeignLog => ({
  kind: 'log',
  eventName: name,
  timeMs: 1000,
  attributes: { 'session.id': session, prompt_id: `${session}########0`, ...attributes },
  resource: {},
  service: 'qwen-code',
  ...more,
});

test('Gemini CLI with a tool and two failed requests, as recorded', async () => {
  const turns = await told(await made(geminiCli), recorded('gemini-cli-healthy-tool'));
  const ids = { 'request_started 6e868f1265ef9cbf': 'first' };
  expect(Object.keys(turns)).toEqual(['gemini-cli-0a35b6dc-971f-40da-b360-1b880fe9856f']);
  expect(inShort(Object.values(turns)[0]).map((word) => ids[word as keyof typeof ids] ?? word)).toEqual([
    'started',
    'first',
    'request_ended 6e868f1265ef9cbf completed',
    'idle',
    'step',
    'idle',
    'request_started 59308cfa0818459b',
    'request_ended 59308cfa0818459b failed',
    'waiting 1000',
    'request_started bbfe9bb77af90c31',
    'request_ended bbfe9bb77af90c31 failed',
    'waiting 2000',
    'request_started e3a571cfc3a371f2',
  ]);
});

test('a stalled request is open, and that is all that is told', async () => {
  const turns = await told(await made(geminiCli), recorded('gemini-cli-stall'));
  expect(Object.values(turns).flat()).toEqual(['started', expect.stringMatching(/^request_started /)]);
});

const request = (role: string, spanId: string, traceId = 'a'.repeat(32)): ForeignLog =>
  log('qwen-code.api_request', { role }, { traceId, spanId });
const interaction: ForeignSpan = {
  kind: 'span',
  name: 'qwen-code.interaction',
  startMs: 1,
  endMs: 2,
  status: 'unset',
  traceId: 'a'.repeat(32),
  spanId: 'c'.repeat(16),
  attributes: {},
  resource: {},
};

test('Qwen Code’s span ends its turn, and its memory afterwards is no turn', async () => {
  const extractor = log('qwen-code.api_request', {
    prompt_id: `${session}########0#managed-auto-memory-extractor`,
  });
  const records: readonly ForeignRecord[] = [
    log('qwen-code.user_prompt'),
    request('main', '1'.repeat(16)),
    interaction,
    extractor,
    request('main', '2'.repeat(16)),
  ];
  expect(await told(await made(qwenCode), [records])).toEqual({
    [`qwen-code-${session}########0`]: ['started', 'request_started 1111111111111111', 'ended completed'],
  });
});

test('a span that names its prompt ends that turn, also where all turns of a session share one trace', async () => {
  const ofPrompt = (n: number, name: string, spanId: string): ForeignLog =>
    log(name, { prompt_id: `${session}########${n}`, role: 'main' }, { traceId: 'a'.repeat(32), spanId });
  const ends = (n: number): ForeignSpan => ({
    ...interaction,
    attributes: { 'qwen-code.prompt_id': `${session}########${n}` },
  });
  const records: readonly ForeignRecord[] = [
    ofPrompt(0, 'qwen-code.user_prompt', '1'.repeat(16)),
    ofPrompt(0, 'qwen-code.api_request', '2'.repeat(16)),
    ofPrompt(1, 'qwen-code.user_prompt', '3'.repeat(16)),
    // Spans come some seconds later.
    ends(0),
    ofPrompt(1, 'qwen-code.api_request', '4'.repeat(16)),
    ends(1),
  ];
  expect(await told(await made(qwenCode), [records])).toEqual({
    [`qwen-code-${session}########0`]: ['started', 'request_started 2222222222222222', 'ended unknown'],
    [`qwen-code-${session}########1`]: ['started', 'request_started 4444444444444444', 'ended completed'],
  });
});

test('of two open requests the answer closes the one of its role; idle is who has none', async () => {
  const records = [
    request('router', '1'.repeat(16)),
    request('main', '2'.repeat(16)),
    log('qwen-code.api_response', { role: 'router' }),
    log('qwen-code.api_error', { role: 'main', 'error.type': 'AbortError' }),
  ];
  const [words] = Object.values(await told(await made(qwenCode), [records]));
  expect(words?.slice(2)).toEqual([
    'request_ended 1111111111111111 completed',
    'request_ended 2222222222222222 cancelled',
    'idle',
  ]);
});

test('a new prompt of the session ends the turn before it; a prompt of elsewhere is none', async () => {
  const records = [
    log('qwen-code.user_prompt'),
    log('qwen-code.user_prompt', { prompt_id: `${session}########1` }),
    log('qwen-code.api_request', { prompt_id: 'summary-7' }),
  ];
  expect(await told(await made(qwenCode), [records])).toEqual({
    [`qwen-code-${session}########0`]: ['started', 'ended unknown'],
    [`qwen-code-${session}########1`]: ['started'],
  });
});

test('an answer to a request from before the mapper’s own start closes what the detector knows', async () => {
  const [words] = Object.values(await told(await made(qwenCode), [[log('qwen-code.api_response')]]));
  expect(words).toEqual(['step', 'idle']);
});

test.each([
  ['ok', 'unset', 'completed'],
  ['cancelled', 'unset', 'cancelled'],
  ['error', 'unset', 'failed'],
  ['ok', 'error', 'failed'],
] as const)('Qwen Code says %s of a turn whose span is %s: it has %s', async (said, status, outcome) => {
  const mapper = await made(qwenCode);
  const ended = { ...interaction, status, attributes: { 'qwen-code.turn_status': said } };
  const turns = await told(mapper, [[log('qwen-code.user_prompt'), request('main', 'b'.repeat(16)), ended]]);
  expect(Object.values(turns).flat().at(-1)).toBe(`ended ${outcome}`);
});
