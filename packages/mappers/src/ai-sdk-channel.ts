import {
  definePlugin,
  type ForeignLog,
  type ForeignRecord,
  type Happening,
  type MappedSignal,
  type Plugin,
  type SignalMapper,
} from '@turnwatch/plugin';
import { identity, numberOf, textOf, wallOf } from './attribute.ts';
import { Recent } from './recent.ts';

/** What a turn's present request has told so far. */
interface Told {
  requests: number;
  open: boolean;
  over: boolean;
  data: number;
  comments: number;
}

/**
 * The Vercel AI SDK's tracing channel `ai:telemetry`, and the bytes of its requests, as a preload writes them to logs:
 * `stall.ai.<operation>.start`, `.end` and `.error`, `stall.http.*`, and `stall.stream.progress` once a second with the
 * counts of the stream so far. The end of `languageModelCall` comes with the headers; the stream's is `stall.http.end`.
 */
export class AiSdkChannelMapper implements SignalMapper {
  readonly selects = {
    logs: ['stall.*'],
    attributes: [
      'comments',
      'data',
      'gen_ai.provider.name',
      'gen_ai.request.model',
      'status',
      'tool.call.id',
      'tool.name',
      'turn.id',
    ],
  } as const;
  readonly precision = 'fine';
  readonly exporterDelayMs = 1000;

  readonly #turns = new Recent<Told>();

  map(records: readonly ForeignRecord[]): readonly MappedSignal[] {
    return records.flatMap((record) => (record.kind === 'log' ? this.#log(record) : []));
  }

  #log(log: ForeignLog): readonly MappedSignal[] {
    const turn = textOf(log, 'turn.id');
    if (turn === undefined) return [];
    const told = this.#turns.get(turn) ?? { requests: 0, open: false, over: false, data: 0, comments: 0 };
    this.#turns.set(turn, told);
    if (told.over) return [];
    return happeningsOf(told, log).map((happening) => ({
      turn,
      happening,
      ...(log.service === undefined ? {} : { process: log.service }),
      ...wallOf(log),
      identity: identity({
        service: log.service,
        provider: textOf(log, 'gen_ai.provider.name'),
        model: textOf(log, 'gen_ai.request.model'),
      }),
    }));
  }
}

/** The mapper as a plugin; it takes no options. */
export const aiSdkChannel: Plugin<'mapper', undefined> = definePlugin({
  apiVersion: 1,
  kind: 'mapper',
  name: 'ai-sdk-channel',
  create: () => new AiSdkChannelMapper(),
});

const whole = /^stall\.ai\.(?:streamText|generateText|streamObject|generateObject)\.(start|end|error)$/;

function happeningsOf(told: Told, log: ForeignLog): readonly Happening[] {
  const phase = whole.exec(log.eventName)?.[1];
  if (phase === 'start') return [{ name: 'started' }];
  if (phase !== undefined) {
    told.over = true;
    return [{ name: 'ended', outcome: phase === 'end' ? 'completed' : 'failed' }];
  }
  const call = textOf(log, 'tool.call.id');
  const tool = textOf(log, 'tool.name');
  switch (log.eventName) {
    case 'stall.ai.step.start':
    case 'stall.ai.step.end':
      return [{ name: 'step' }];
    case 'stall.ai.languageModelCall.start':
      return [...close(told, 'completed'), ...open(told)];
    case 'stall.ai.languageModelCall.error':
    case 'stall.http.error':
      return close(told, 'failed');
    case 'stall.http.headers':
      return headers(told, numberOf(log, 'status') ?? 200);
    case 'stall.stream.progress':
      return progressed(told, numberOf(log, 'data') ?? 0, numberOf(log, 'comments') ?? 0);
    case 'stall.http.end':
      return told.requests === 0 ? [{ name: 'step' }, { name: 'idle' }] : close(told, 'completed');
    case 'stall.ai.executeTool.start':
      return call === undefined
        ? []
        : [{ name: 'tool_started', call, ...(tool === undefined ? {} : { tool }) }];
    case 'stall.ai.executeTool.end':
    case 'stall.ai.executeTool.error':
      return call === undefined
        ? []
        : [{ name: 'tool_ended', call, outcome: log.eventName.endsWith('.end') ? 'completed' : 'failed' }];
    default:
      return [];
  }
}

function open(told: Told): readonly Happening[] {
  told.requests++;
  told.open = true;
  told.data = 0;
  told.comments = 0;
  return [{ name: 'request_started', request: `r${told.requests}`, streaming: true }];
}

function close(told: Told, outcome: 'completed' | 'failed'): readonly Happening[] {
  if (!told.open) return [];
  told.open = false;
  return [{ name: 'request_ended', request: `r${told.requests}`, outcome }];
}

/** A refusal is tried again by the SDK, with headers of its own. */
function headers(told: Told, status: number): readonly Happening[] {
  if (status >= 400) return close(told, 'failed');
  if (!told.open) return open(told);
  told.data = 0;
  told.comments = 0;
  return [{ name: 'lifecycle' }];
}

/** The counts grow over one stream: lines of data are content, comments alone are none. */
function progressed(told: Told, data: number, comments: number): readonly Happening[] {
  const content = data > told.data;
  const alive = comments > told.comments;
  told.data = Math.max(told.data, data);
  told.comments = Math.max(told.comments, comments);
  // A stream from before the mapper's own start is known to the detector alone.
  if (told.requests === 0) return content ? [{ name: 'chunk', kind: 'text' }] : [];
  if (!told.open) return [];
  if (content) return [{ name: 'chunk', kind: 'text', request: `r${told.requests}` }];
  return alive ? [{ name: 'keepalive', request: `r${told.requests}` }] : [];
}
