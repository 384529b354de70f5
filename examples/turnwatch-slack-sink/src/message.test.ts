import { describe, expect, test } from 'vitest';
import { messageOf } from './message.js';
import { code, text } from './slack-text.js';

const link = 'https://turnwatch.example/v1/turns/t1';
const stale = (turn: object, more: object = {}) => ({
  specversion: '1.0',
  id: 'evt_1',
  source: 'urn:turnwatch:detector:local',
  type: 'turn.stale',
  subject: 't1',
  time: '2026-11-30T12:00:00.000Z',
  timestamp: '2026-11-30T12:00:00.000Z',
  sequence: '0000000000000001',
  datacontenttype: 'application/json',
  dataschema: 'urn:turnwatch:schema:turn.stale:1',
  data: {
    turn: { id: 't1', attempt: 1, ...turn },
    stale: {
      reason: 'silence',
      phase: 'text',
      episode: 1,
      lastActivityAt: '2026-11-30T11:58:00.000Z',
      lastActivityKind: 'chunk',
      silenceMs: 92_000,
      thresholdMs: 61_000,
      thresholdSource: 'measured',
      confirmMs: 1000,
      largestHealthyGapMs: 20_000,
      samples: 40,
      falseFlagEstimate: 0.001,
      precision: 'proven',
      pendingToolCalls: [],
      expiredToolCalls: [],
      staleSince: '2026-11-30T12:00:00.000Z',
      ...more,
    },
    links: { turn: link },
  },
});

describe('a message', () => {
  test('says which turn, since when, and leads to the live page', () => {
    const message = messageOf(stale({ agent: 'worker', model: 'gpt' }));
    expect(message.text).toBe(
      ':warning: Turn `t1` has stopped: no activity for 92 s in phase `text` (`silence`).',
    );
    const written = JSON.stringify(message);
    expect(written).toContain('*Healthy limit* 61 s');
    expect(written).toContain('*Agent* `worker`');
    expect(written).toContain('"url":"https://turnwatch.example/#/turns/t1"');
  });

  test('names the tool that is lost', () => {
    const call = {
      id: 'c1',
      name: 'shell',
      ageMs: 1,
      quietMs: 1_805_000,
      graceMs: 1,
      updates: 0,
      expired: true,
    };
    const lost = { reason: 'tool_silence', pendingToolCalls: [call], expiredToolCalls: ['c1'] };
    expect(JSON.stringify(messageOf(stale({}, lost)))).toContain('*Tool* `shell`, quiet for 30 min 5 s');
  });

  test('pings whom the operator names, where it is urgent', () => {
    expect(JSON.stringify(messageOf(stale({}), 'U123'))).toContain('<@U123>');
    expect(JSON.stringify(messageOf(stale({}), 'S123'))).toContain('<!subteam^S123>');
    const unknown = { ...stale({}), type: 'turn.new', data: {} };
    expect(JSON.stringify(messageOf(unknown, 'U123'))).not.toContain('<@');
  });

  test.each([
    '<!channel>',
    '<!here|here>',
    '<@U0123ABCD>',
    '<#C0123>',
    '<https://evil.example|the log>',
    '`<!channel>`',
    '\u202e<!everyone>',
    '&lt;!channel&gt;',
    'a\n<!channel>\n*b*',
  ])('a name such as %j pings nobody, links nowhere and ends no code', (hostile) => {
    const call = { id: hostile, name: hostile, ageMs: 1, quietMs: 1, graceMs: 1, updates: 0, expired: true };
    const turn = { id: hostile, agent: hostile, model: hostile, parentId: hostile, conversationId: hostile };
    const more = { phase: hostile, reason: hostile, pendingToolCalls: [call], expiredToolCalls: [hostile] };
    for (const event of [stale(turn, more), { ...stale({}), type: hostile, subject: hostile, data: {} }]) {
      for (const shown of texts(messageOf(event))) {
        expect(shown).not.toMatch(/[<>]/);
        expect(shown).not.toMatch(/[\n\u202e]/);
        expect(shown.split('`').length % 2, shown).toBe(1);
      }
    }
  });

  test('a long name is cut, and Slack’s bounds hold', () => {
    const long = '𝒳'.repeat(5000);
    const message = messageOf(
      stale({ id: long, agent: long, model: long, parentId: long, conversationId: long }),
    );
    for (const shown of texts(message)) expect(shown.length).toBeLessThan(2000);
    expect(code('x'.repeat(200))).toHaveLength(130);
    expect(text('&'.repeat(128))).toBe('&amp;'.repeat(128));
  });

  test('a link that is none is left out, for Slack would refuse the message', () => {
    const event = stale({});
    const message = messageOf({ ...event, data: { ...event.data, links: { turn: 'javascript:alert(1)' } } });
    expect(JSON.stringify(message)).not.toContain('javascript');
  });
});

/** Every text of a message that Slack reads as mrkdwn. */
function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'text' && typeof inner === 'string' ? [inner] : texts(inner),
  );
}
