import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AttackedDetector } from './attacked-detector.ts';
import { attacks } from './attacks.ts';
import { besiege } from './siege.ts';

// Once each, at a small scale; `npm run hostile` measures at full scale, with the clock.

let detector: AttackedDetector;
beforeAll(async () => {
  detector = await AttackedDetector.start({ ingest: { maxTurns: 10_000, maxConnections: 100 } });
});
afterAll(() => detector.end());

describe('a detector under attack answers the attackers as it should, and another source as ever', () => {
  test.each(attacks)('$name', { timeout: 60_000 }, async (attack) => {
    const { wrong, lost, beats, peakHeapBytes } = await besiege(detector, attack, {
      rounds: 1,
      senders: 2,
      connections: 200,
      slowMs: 1000,
    });
    expect({ wrong, lost }).toEqual({ wrong: [], lost: [] });
    expect(beats).toBeGreaterThan(0);
    expect(peakHeapBytes).toBeLessThan(300e6);
    expect((await fetch(`${detector.url}/healthz`)).status).toBe(200);
  });
});
