import { expect, test } from 'vitest';
import { inShort, recorded, told } from '../fixtures/recorded.ts';
import { AiSdkChannelMapper } from './ai-sdk-channel.ts';

test('a healthy turn, as recorded: comments are keep-alives, the counts of a stream are content', async () => {
  const turns = await told(new AiSdkChannelMapper(), recorded('ai-sdk-preload-healthy'));
  expect(inShort(turns['call-voc9fjfLxz9Mx7Yk7BzFItg4'])).toEqual([
    'started',
    'step',
    'request_started r1',
    'lifecycle',
    'chunk r1 text',
    'request_ended r1 completed',
    'tool_started call_j2m7w5c8kzmx37kjk8',
    'tool_ended call_j2m7w5c8kzmx37kjk8 completed',
    'step',
    'request_started r2',
    'lifecycle',
    'keepalive r2',
    'chunk r2 text',
    'request_ended r2 completed',
    'step',
    'ended completed',
  ]);
});

test('a stall: the last count that grew is the last that is told', async () => {
  const [words] = Object.values(await told(new AiSdkChannelMapper(), recorded('ai-sdk-preload-stall')));
  expect(words?.slice(-3)).toEqual(['lifecycle', 'chunk r1 text', 'chunk r1 text']);
});

test('a stream from before the mapper’s own start goes on, and its end closes what the detector knows', async () => {
  const batches = recorded('ai-sdk-preload-healthy').slice(-2);
  const turns = await told(new AiSdkChannelMapper(), batches);
  expect(inShort(turns['call-voc9fjfLxz9Mx7Yk7BzFItg4'])).toEqual([
    'chunk text',
    'step',
    'idle',
    'step',
    'ended completed',
  ]);
});
