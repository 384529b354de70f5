import { type Script, ScriptedProvider } from '@turnwatch/testing/provider';
import { Worker } from './worker.ts';

// A worker with two slots, three jobs, and no detector but its own:
//   wedged  the provider goes silent in the middle of its first answer
//   long    a local engine that reads its prompt for six seconds and says only that it is alive
//   quick   waits for a slot
// npm run build && node examples/embedded-agent/main.ts

const seen = new Map<string, number>();

const provider = await ScriptedProvider.start({
  script: ({ prompt }): Script => {
    const asked = (seen.get(prompt) ?? 0) + 1;
    seen.set(prompt, asked);
    if (prompt === 'wedged' && asked === 1)
      return [{ do: 'text', text: 'The first half of' }, { do: 'stall' }];
    if (prompt === 'long')
      return [
        { do: 'wait', ms: 6000, keepaliveEveryMs: 300 },
        { do: 'text', text: 'a long story' },
      ];
    return [{ do: 'text', text: `an answer to ${prompt}` }];
  },
});

const begunMs = performance.now();
const worker = new Worker({
  url: provider.url,
  slots: 2,
  maxAttempts: 3,
  log: (line) => console.log(`${((performance.now() - begunMs) / 1000).toFixed(1).padStart(4)} s  ${line}`),
  // Much shorter than is wise, so that the example is over soon: the default of text is 240 s until it has learned.
  policy: {
    preset: 'measured',
    defaultThresholdMs: { first_token: 1500, text: 1500, agent: 5000 },
    floorMs: 0,
  },
});

try {
  await Promise.all([
    worker.run({ id: 'wedged', prompt: 'wedged', route: 'api' }),
    worker.run({ id: 'long', prompt: 'long', route: 'local' }),
    worker.run({ id: 'quick', prompt: 'quick', route: 'api' }),
  ]);
  // Kept for the next run: createDetector({ baselines }).
  console.log(
    `learned: ${worker.detector
      .baselines()
      .map(({ key }) => key)
      .sort()
      .join(', ')}`,
  );
} finally {
  worker.detector.stop();
  await provider.close();
}
