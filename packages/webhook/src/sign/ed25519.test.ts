import { describe, expect, it } from 'vitest';
import {
  generateKeyPair,
  generateSecret,
  publicKeyOf,
  sign,
  verify,
  WebhookError,
  type WebhookErrorCode,
} from '../sign.ts';

// The vector that the Standard Webhooks specification shows in its example header, with the key, id, time and body of
// the reference server's test. Ed25519 is deterministic: equal bytes mean that both do the same.
const vector = {
  secretKey: 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==',
  publicKey: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampS: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
};
const { id, timestampS, body } = vector;
const nowMs = timestampS * 1000;

function headersFor(secrets: string | string[]): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': sign({ id, timestampS, body, secrets }),
  };
}

function codeOf(act: () => unknown): WebhookErrorCode | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof WebhookError) return error.code;
    throw error;
  }
}

describe('v1a', () => {
  it('the vector of the specification, both ways', () => {
    expect(sign({ id, timestampS, body, secrets: vector.secretKey })).toBe(vector.signature);
    expect(publicKeyOf(vector.secretKey)).toBe(vector.publicKey);
    const headers = { ...headersFor(vector.secretKey), 'webhook-signature': vector.signature };
    expect(verify({ headers, body, secrets: vector.publicKey, nowMs })).toEqual({ id, timestampS });
  });

  it('takes the seed alone as well', () => {
    const seed = `whsk_${Buffer.from(vector.secretKey.slice(5), 'base64').subarray(0, 32).toString('base64')}`;
    expect(sign({ id, timestampS, body, secrets: seed })).toBe(vector.signature);
  });

  it('a new pair signs and verifies; another one, another body or a cut signature does not', () => {
    const pair = generateKeyPair();
    const headers = headersFor(pair.secretKey);
    expect(publicKeyOf(pair.secretKey)).toBe(pair.publicKey);
    expect(verify({ headers, body, secrets: pair.publicKey, nowMs }).id).toBe(id);
    const refused = (more: Partial<Parameters<typeof verify>[0]>) =>
      codeOf(() => verify({ headers, body, secrets: pair.publicKey, nowMs, ...more }));
    expect(refused({ secrets: generateKeyPair().publicKey })).toBe('no_matching_signature');
    expect(refused({ body: '{"test": 2432232315}' })).toBe('no_matching_signature');
    const cut = { ...headers, 'webhook-signature': String(headers['webhook-signature']).slice(0, -4) };
    expect(refused({ headers: cut })).toBe('no_matching_signature');
  });

  it('a change from shared secret to key pair: either side of it verifies', () => {
    const pair = generateKeyPair();
    const secret = generateSecret();
    const headers = headersFor([pair.secretKey, secret]);
    expect(headers['webhook-signature']).toMatch(/^v1a,\S+ v1,\S+$/);
    for (const secrets of [secret, pair.publicKey, [generateSecret(), pair.publicKey]])
      expect(verify({ headers, body, secrets, nowMs }).id).toBe(id);
    expect(codeOf(() => verify({ headers, body, secrets: generateSecret(), nowMs }))).toBe(
      'no_matching_signature',
    );
  });

  it('a v1a signature never counts as a v1 one, nor the other way', () => {
    const pair = generateKeyPair();
    const secret = generateSecret();
    const relabel = (signature: string | undefined, scheme: string) =>
      `${scheme},${signature?.split(',')[1]}`;
    const open = headersFor(pair.secretKey);
    const shared = headersFor(secret);
    const asShared = { ...open, 'webhook-signature': relabel(open['webhook-signature'], 'v1') };
    const asOpen = { ...shared, 'webhook-signature': relabel(shared['webhook-signature'], 'v1a') };
    for (const headers of [asShared, asOpen])
      expect(codeOf(() => verify({ headers, body, secrets: [secret, pair.publicKey], nowMs }))).toBe(
        'no_matching_signature',
      );
  });

  it('each key has its side: the public one does not sign, the secret one is kept from receivers', () => {
    const { secretKey, publicKey } = generateKeyPair();
    expect(codeOf(() => headersFor(publicKey))).toBe('bad_secret');
    expect(codeOf(() => verify({ headers: headersFor(secretKey), body, secrets: secretKey, nowMs }))).toBe(
      'bad_secret',
    );
  });

  it.each([
    ['whsk_', 'nothing'],
    ['whsk_AAAA', 'too short'],
    [
      'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlaaaaaaaaaaAJ6p9lMicMFs6Kvg==',
      'halves',
    ],
    ['whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCub%%%%', 'no base64'],
  ])('a bad key is refused without being repeated: %s (%s)', (secret) => {
    expect(codeOf(() => headersFor(secret))).toBe('bad_secret');
    if (secret.length < 10) return;
    expect(() => headersFor(secret)).not.toThrow(secret.slice(5));
  });
});
