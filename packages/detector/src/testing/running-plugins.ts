import type { PluginDocument } from '@turnwatch/protocol';
import type { Timers } from '../clocks.ts';
import type { DetectorConfigInput } from '../config/schema.ts';
import { loadDetector } from '../plugins/load-plugins.ts';
import type { TurnStore } from '../store/turn-store.ts';
import { HeldClocks, heldTimers } from './held-time.ts';
import { hasty, type RunningDetector, runDetector } from './running-detector.ts';
import { post, ScriptedAgent } from './scripted-agent.ts';

/** A running detector with these plugins, in whose time a test has its hand. Variables are where they find secrets. */
export async function runWithPlugins(
  input: DetectorConfigInput,
  environment: Readonly<Record<string, string>> = {},
  timers: Timers = heldTimers,
  store?: TurnStore,
): Promise<RunningDetector> {
  const clocks = new HeldClocks();
  const { plugins } = await loadDetector(
    { flags: { policy: hasty, mappers: false, ...input, listen: { port: 0 } }, environment },
    { clocks, timers },
  );
  return runDetector(input, { clocks, plugins, timers, ...(store === undefined ? {} : { store }) });
}

/** One turn that says nothing any more, until it is stale. */
export async function stall(detector: RunningDetector, turn = 't1'): Promise<void> {
  const agent = new ScriptedAgent(turn);
  await post(detector.url, [agent.says({ name: 'started' })]);
  for (let second = 0; second < 4; second++) {
    agent.a += 1000;
    detector.clocks.advance(1000);
    await post(detector.url, [agent.says({ name: 'heartbeat' }, agent.a), agent.beat()]);
    detector.detector.tick();
  }
}

/** Ticks until it holds: retries of the outbox wait for its clock. */
export async function until(
  detector: RunningDetector,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  while (!(await holds())) {
    detector.pass(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** How a plugin stands, by `GET /v1/plugins`. */
export async function statusOf(detector: RunningDetector, id: string): Promise<PluginDocument> {
  const { body } = await detector.json('/v1/plugins');
  const found = (body.plugins as readonly PluginDocument[]).find((plugin) => plugin.id === id);
  if (found === undefined) throw new Error(`no plugin ${id}`);
  return found;
}
