import { expect, it } from 'vitest';
import { ByHand } from './by-hand.ts';

it('knows what is open, and forgets what is not without being asked', () => {
  const made = new ByHand<{ isOpen: boolean }>();
  const kept = { isOpen: true };
  made.add(kept, true);
  const looked: boolean[] = [];
  for (let each = 0; each < 1000; each++) {
    made.add(
      {
        get isOpen() {
          looked.push(true);
          return false;
        },
      },
      false,
    );
  }
  // Swept in between, each once or twice: nobody has asked.
  expect(looked.length).toBeGreaterThan(900);
  expect(looked.length).toBeLessThan(2000);
  expect(made.open()).toEqual([{ request: kept, streaming: true }]);
});
