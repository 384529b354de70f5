import type { SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import { loadConfig } from '../config/load.ts';
import type { DetectorConfigInput } from '../config/schema.ts';
import { createDetectorService, type Detector, type DetectorOptions } from '../detector.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { TurnStore } from '../store/turn-store.ts';
import { HeldClocks, heldTimers } from './held-time.ts';

export interface RunningDetector {
  readonly url: string;
  readonly port: number;
  readonly detector: Detector;
  readonly clocks: HeldClocks;
  readonly store: TurnStore;
  readonly events: (TurnEvent | SourceSilentEvent)[];
  /** Moves the time on, a tick a second. */
  pass(seconds: number): void;
  json(path: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
}

/** Short thresholds without learning: a turn that says nothing for a second is stale. */
export const hasty: NonNullable<DetectorConfigInput['policy']> = {
  preset: 'measured',
  defaultThresholdMs: { agent: 1000, text: 1000, first_token: 1000 },
  floorMs: 0,
  confirmRatio: 0,
};

/** A real detector on a real socket whose time the test holds. */
export async function runDetector(
  input: DetectorConfigInput = {},
  more: Partial<DetectorOptions> & { readonly clocks?: HeldClocks } = {},
): Promise<RunningDetector> {
  const { config } = loadConfig({ flags: { policy: hasty, ...input, listen: { port: 0, ...input.listen } } });
  const clocks = more.clocks ?? new HeldClocks();
  const store = more.store ?? new MemoryStore();
  const events: (TurnEvent | SourceSilentEvent)[] = [];
  const detector = createDetectorService({
    timers: heldTimers,
    random: () => 0.5,
    onEvent: (event) => void events.push(event),
    ...more,
    config,
    clocks,
    store,
  });
  const { port, url } = await detector.start();
  return {
    url,
    port,
    detector,
    clocks,
    store,
    events,
    pass(seconds) {
      for (let second = 0; second < seconds; second++) {
        clocks.advance(1000);
        detector.tick();
      }
    },
    async json(path) {
      const response = await fetch(`${url}${path}`);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}
