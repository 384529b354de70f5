import {
  definePlugin,
  type EngineProbe,
  type EngineReading,
  type Plugin,
  type SlotReading,
} from '@turnwatch/plugin';
import type { EngineAccess } from './engine-access.ts';
import { EngineAnswerError, EngineClient } from './engine-client.ts';
import { type EngineOptions, engineOptions, type InProcessOptions } from './engine-options.ts';
import { countOf, field } from './json-field.ts';
import { sumsOf } from './prometheus-text.ts';

/** Nobody looks at a llama-server more often: see `PollFloor`. */
export const llamaCppFloorMs = 2000;

/** The pages that tell of its work. Either may be switched off; neither says enough alone for every build. */
type Page = 'slots' | 'metrics';
/** Answers that mean "not here" and will mean it again. */
const switchedOff: ReadonlySet<number> = new Set([400, 404, 405, 501]);
const decodes = 'llamacpp:n_decode_total';
const processing = 'llamacpp:requests_processing';
const deferred = 'llamacpp:requests_deferred';
const metricNames: ReadonlySet<string> = new Set([decodes, processing, deferred]);

/**
 * A probe of llama.cpp's server. `/slots` tells of each slot how much of its prompt is read, per batch, and is what is
 * asked; `/metrics` where that is switched off, and in turn with it while all slots are taken, since only it tells how many
 * requests wait. Of its counters only `n_decode_total` moves during a prompt read. One page a look, and never two looks
 * within {@link llamaCppFloorMs}.
 */
export function llamaCppProbe(options: EngineOptions & InProcessOptions, access: EngineAccess): EngineProbe {
  const client = new EngineClient(options, access);
  const off = new Set<Page>();
  let seen: EngineReading = { state: 'idle' };
  let next: Page = 'slots';

  const readSlots = async (signal: AbortSignal): Promise<EngineReading> => {
    const all = await client.json('/slots', signal);
    if (!Array.isArray(all))
      throw new EngineAnswerError(200, '/slots holds no list: is this a llama.cpp server?');
    const busy = all.filter((slot) => field(slot, 'is_processing') === true);
    const isFull = busy.length === all.length && all.length > 0;
    if (isFull && !off.has('metrics')) next = 'metrics';
    const queued = isFull ? (seen.queued ?? 0) : 0;
    if (busy.length === 0) return { state: 'idle', queued };
    return { state: 'busy', queued, slots: busy.map(slotOf) };
  };
  const readMetrics = async (signal: AbortSignal): Promise<EngineReading> => {
    const sums = sumsOf(await client.text('/metrics', signal), metricNames);
    if (!sums.has(processing)) throw new EngineAnswerError(200, `/metrics has no ${processing}`);
    const queued = sums.get(deferred) ?? 0;
    if (!off.has('slots')) {
      next = 'slots';
      return { ...seen, queued };
    }
    if (sums.get(processing) === 0) return { state: 'idle', queued };
    return { state: 'busy', queued, slots: [{ id: 0, read: sums.get(decodes) ?? 0, generated: 0 }] };
  };
  const look = async (signal: AbortSignal): Promise<EngineReading> => {
    const page = next;
    try {
      seen = page === 'slots' ? await readSlots(signal) : await readMetrics(signal);
      return seen;
    } catch (error) {
      if (!(error instanceof EngineAnswerError) || !switchedOff.has(error.status)) throw error;
      off.add(page);
      next = page === 'slots' ? 'metrics' : 'slots';
      if (off.size < 2) return seen;
      off.clear();
      throw new EngineAnswerError(
        error.status,
        'the server tells nothing of its work: start llama-server with --slots (the default) or --metrics',
      );
    }
  };
  return {
    engine: client.name,
    async probe(signal) {
      const reading = await client.look('llama.cpp', llamaCppFloorMs, () => look(signal));
      return owned(reading, options);
    },
  };
}

/** Owners change from look to look, and each probe of an engine has its own. */
function owned(reading: EngineReading, { owners }: InProcessOptions): EngineReading {
  if (owners === undefined || reading.slots === undefined) return reading;
  const slots = reading.slots.map((slot) => {
    const turn = owners.turnOf(slot.id);
    return turn === undefined ? slot : { ...slot, turn };
  });
  return { ...reading, slots };
}

function slotOf(slot: unknown): SlotReading {
  const token = field(slot, 'next_token');
  return {
    id: countOf(field(slot, 'id')),
    read: countOf(field(slot, 'n_prompt_tokens_processed')),
    // A list in newer builds.
    generated: countOf(field(Array.isArray(token) ? token[0] : token, 'n_decoded')),
  };
}

/** The probe as a plugin. */
export const llamaCpp: Plugin<'probe', EngineOptions> = definePlugin({
  apiVersion: 1,
  kind: 'probe',
  name: 'llama-cpp',
  optionsSchema: engineOptions,
  create: llamaCppProbe,
});
