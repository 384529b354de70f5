import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { generateSecret, sign, verify, WebhookError, type WebhookErrorCode } from '../sign.ts';

const nowMs = 1_796_036_560_000;
const timestampS = nowMs / 1000;
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=';
const body = '{"type":"turn.stale","text":"stället 停"}';

function signed(secrets: string | string[] = secret, at = timestampS): Record<string, string> {
  const id = 'evt_1';
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': sign({ id, timestampS: at, body, secrets }),
  };
}

function codeOf(act: () => unknown): WebhookErrorCode | 'accepted' {
  try {
    act();
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookError) return error.code;
    throw error;
  }
}

function judge(
  headers: Record<string, string>,
  given: unknown = body,
  secrets: string | string[] = secret,
): string {
  return codeOf(() => verify({ headers, body: given as string, secrets, nowMs }));
}

describe('sign and verify against the official libraries', () => {
  it('the vector of the Standard Webhooks specification', () => {
    const signature = sign({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampS: 1614265330,
      body: '{"test": 2432232314}',
      secrets: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    });
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it.each([
    ['standardwebhooks', StandardWebhook],
    ['svix', SvixWebhook],
  ])('%s makes the same signatures, and each verifies what the other made', (_name, Library) => {
    for (let i = 0; i < 200; i++) {
      const key = generateSecret();
      const payload = JSON.stringify({ i, text: 'ü'.repeat(i) });
      const atS = Math.floor(Date.now() / 1000);
      const ours = sign({ id: `evt_${i}`, timestampS: atS, body: payload, secrets: key });
      const library = new Library(key);
      expect(library.sign(`evt_${i}`, new Date(atS * 1000), payload)).toBe(ours);
      const headers = {
        'webhook-id': `evt_${i}`,
        'webhook-timestamp': String(atS),
        'webhook-signature': ours,
      };
      expect(() => library.verify(payload, headers)).not.toThrow();
      expect(() => library.verify(`${payload} `, headers)).toThrow();
      expect(verify({ headers, body: payload, secrets: key, nowMs: atS * 1000 }).id).toBe(`evt_${i}`);
    }
  });
});

describe('w104: verify needs the raw body', () => {
  it('refuses a parsed object and says how to mend it', () => {
    const act = (): unknown =>
      verify({ headers: signed(), body: JSON.parse(body) as unknown as string, secrets: secret, nowMs });
    expect(act).toThrow(
      /the body was parsed before verification: hand over the raw body.*express\.json\(\)/s,
    );
    expect(codeOf(act)).toBe('body_not_raw');
  });

  it.each([undefined, null, 42, [1], new Date(0)])('refuses %s as a body', (given) => {
    expect(
      codeOf(() => verify({ headers: signed(), body: given as unknown as string, secrets: secret, nowMs })),
    ).toBe('body_not_raw');
  });

  it('takes a string, a Buffer and a Uint8Array of the same bytes', () => {
    for (const given of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
      expect(judge(signed(), given)).toBe('accepted');
    }
  });

  it('refuses JSON made anew', () => {
    const anew = JSON.stringify({ text: 'stället 停', type: 'turn.stale' });
    expect(judge(signed(), anew)).toBe('no_matching_signature');
  });
});

describe('w204: secret rotation with overlap', () => {
  it('signs with each active secret, in one header', () => {
    expect(signed([secret, other])['webhook-signature']?.split(' ')).toHaveLength(2);
  });

  it('a receiver with either secret, or both, verifies; after the overlap the old one does not', () => {
    for (const known of [secret, other, [other, secret]]) {
      expect(judge(signed([secret, other]), body, known)).toBe('accepted');
    }
    expect(judge(signed(other), body, secret)).toBe('no_matching_signature');
  });

  it('no message holds the secret', () => {
    for (const bad of ['whsec_AAAAhidden00AAAA', 'plainhidden00', `${secret}!!`]) {
      try {
        sign({ id: 'a', timestampS, body, secrets: bad });
        expect.unreachable();
      } catch (error) {
        expect(String(error)).not.toContain(bad.slice(6));
      }
    }
  });
});

describe('w205: wrong or missing signature', () => {
  const good = signed();
  const value = good['webhook-signature'] ?? '';
  it.each([
    ['one byte of the body changed', good, body.replace('stale', 'stalf'), 'no_matching_signature'],
    ['the id changed', { ...good, 'webhook-id': 'evt_2' }, body, 'no_matching_signature'],
    ['no id', { ...good, 'webhook-id': '' }, body, 'missing_header'],
    ['no timestamp', { ...good, 'webhook-timestamp': '' }, body, 'missing_header'],
    ['no signature', { ...good, 'webhook-signature': '' }, body, 'missing_header'],
    [
      'an unknown scheme',
      { ...good, 'webhook-signature': value.replace('v1,', 'v9,') },
      body,
      'no_matching_signature',
    ],
    ['a cut signature', { ...good, 'webhook-signature': value.slice(0, 20) }, body, 'no_matching_signature'],
    ['no base64', { ...good, 'webhook-signature': 'v1,!!' }, body, 'no_matching_signature'],
    ['an empty one', { ...good, 'webhook-signature': 'v1,' }, body, 'no_matching_signature'],
  ] as const)('%s', (_name, headers, given, code) => {
    expect(judge(headers, given)).toBe(code);
  });

  it('finds the right one among unknown and wrong ones', () => {
    const many = `v1a,AAAA v1,AAAA ${sign({ id: 'x', timestampS, body, secrets: other })} ${value}`;
    expect(judge({ ...good, 'webhook-signature': many })).toBe('accepted');
  });

  it('reads a Headers object', () => {
    expect(verify({ headers: new Headers(good), body, secrets: secret, nowMs })).toEqual({
      id: 'evt_1',
      timestampS,
    });
  });
});

describe('w206: clock tolerance', () => {
  it.each([
    [-299, 'accepted'],
    [-300, 'accepted'],
    [-301, 'timestamp_too_old'],
    [299, 'accepted'],
    [301, 'timestamp_too_new'],
    [-27 * 3600, 'timestamp_too_old'],
    [27 * 3600, 'timestamp_too_new'],
  ])('%i s: %s', (offsetS, code) => {
    expect(judge(signed(secret, timestampS + offsetS))).toBe(code);
  });

  it('a clock that is off shows as such even where the secret is wrong too', () => {
    expect(judge(signed(other, timestampS - 97_200))).toBe('timestamp_too_old');
  });

  it.each(['1796036560abc', '1796036560.0', '-1', ' 1796036560', '0x6b0d', '1e9', 'NaN', '9'.repeat(13)])(
    'refuses %s as a timestamp',
    (text) => {
      expect(judge({ ...signed(), 'webhook-timestamp': text })).toBe('bad_timestamp');
    },
  );
});

describe('secrets', () => {
  it('generateSecret makes 32 random bytes', () => {
    const made = generateSecret();
    expect(made).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(generateSecret()).not.toBe(made);
  });

  it.each([
    ['without prefix', secret.slice(6)],
    ['23 bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['65 bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['with a typing error', secret.replace('9', '*')],
    ['none at all', []],
  ])('refuses one %s', (_name, secrets) => {
    expect(codeOf(() => sign({ id: 'a', timestampS, body, secrets }))).toBe('bad_secret');
  });

  it.each([24, 64])('takes one of %i bytes', (bytes) => {
    const secrets = `whsec_${Buffer.alloc(bytes).toString('base64')}`;
    expect(codeOf(() => sign({ id: 'a', timestampS, body, secrets }))).toBe('accepted');
  });

  it.each(['', 'a.b', 'a b'])('refuses the id "%s"', (id) => {
    expect(codeOf(() => sign({ id, timestampS, body, secrets: secret }))).toBe('bad_id');
  });

  it.each([1.5, -1, Number.NaN])('refuses to sign at %s', (at) => {
    expect(codeOf(() => sign({ id: 'a', timestampS: at, body, secrets: secret }))).toBe('bad_timestamp');
  });
});
