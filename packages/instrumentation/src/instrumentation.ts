import { randomUUID } from 'node:crypto';
import * as api from '@opentelemetry/api';
import type { LoggerProviderLike } from './emit.ts';
import { followExit } from './exit.ts';
import { hostClassOf } from './host-class.ts';
import { processClock, processTimers } from './process-clock.ts';
import type { Counters } from './producer/counters.ts';
import type { TurnOptions } from './producer/options.ts';
import type { HostClass } from './producer/signal.ts';
import { Runtime } from './runtime.ts';
import { linkTurn, type TraceLink } from './trace-link.ts';
import { Turn } from './turn.ts';

export interface InstrumentationOptions {
  /** `service.name` of this process, shown with its turns. Default: `OTEL_SERVICE_NAME`, else none. */
  readonly serviceName?: string | undefined;
  /** Only for a process that owns its slot alone: a newer process with the same id proves that the older is gone. Default: random. */
  readonly processId?: string | undefined;
  /** Default: `portable` where a battery is found and on macOS and Windows, else `server`. */
  readonly hostClass?: HostClass | undefined;
  /** Also send every chunk, keep-alive, lifecycle event, prompt read and tool progress by itself. Default false. */
  readonly everyEvent?: boolean | undefined;
}

export interface StartOptions extends Omit<TurnOptions, 'spanId'> {
  /** W3C trace context of the parent turn in another process. Default: the parent turn's or the active span's. */
  readonly traceparent?: string | undefined;
}

let settings: InstrumentationOptions = {};
let running: Runtime<Turn> | undefined;
let given: LoggerProviderLike | undefined;
let flushing: Promise<void> = Promise.resolve();
let flushIsUseless: () => boolean = () => false;
let wasToldSinceFarewell = false;

/** Sets up this process. Only before its first turn; later it is ignored with a warning to OpenTelemetry's diagnostics. */
export function configure(options: InstrumentationOptions): void {
  if (running !== undefined) {
    api.diag.warn('turnwatch: configure() comes too late, a turn has been started already; call it first');
    return;
  }
  settings = { ...settings, ...options };
}

/** Sends records to this provider in place of the one that is registered globally; `undefined` goes back to that. */
export function setLoggerProvider(provider: LoggerProviderLike | undefined): void {
  given = provider;
  running?.emitter.setLoggerProvider(provider);
}

export function startTurn(options: StartOptions = {}): Turn {
  const runtime = theRuntime();
  const scope = runtime.scope.getStore();
  const parent = options.parentId === undefined || options.parentId === scope?.turn.id ? scope : undefined;
  const link = linkTurn(options, parent?.turn.trace);
  try {
    wasToldSinceFarewell = true;
    runtime.start();
    const turn = runtime.startWith(link, () =>
      runtime.producer.startTurn({
        ...options,
        parentId: options.parentId ?? parent?.turn.id,
        parentCallId: options.parentCallId ?? parent?.callId,
        traceId: link.traceId,
        spanId: link.spanId,
      }),
    );
    return new Turn(runtime, turn, link);
  } catch (error) {
    api.diag.error('turnwatch: a turn could not be started; it goes on without telemetry', error);
    return inert(runtime, link);
  }
}

/** The turn that the calling code runs in, by `withTurn`, `withRequest` or `withToolCall`. */
export function currentTurn(): Turn | undefined {
  return running?.scope.getStore()?.turn;
}

/** The current turn, or one that does nothing. */
export function currentOrInert(): Turn {
  return currentTurn() ?? inert(theRuntime(), linkTurn({}, undefined));
}

/** What was refused or ignored in this process so far. */
export function counters(): Counters {
  return { ...theRuntime().counters };
}

/** Sends what the provider has queued. One at a time: a flush during a flush returns at once in the SDK. */
export function flush(): Promise<void> {
  flushing = flushing.then(async () => running?.emitter.flush()).catch(reportFlush);
  return flushing;
}

/** Says that the process exits, if a turn was started since it was last said. */
export function farewell(code?: number): void {
  if (!wasToldSinceFarewell) return;
  wasToldSinceFarewell = false;
  running?.producer.exiting(code);
}

/** Ends the heartbeat; a turn started later begins it anew. */
export function stopBeating(): void {
  running?.stop();
}

/** For `setup`: says when the last export failed, so that an exit does not wait for the next one. */
export function skipFlushAtExitWhen(useless: () => boolean): void {
  flushIsUseless = useless;
}

function reportFlush(error: unknown): void {
  api.diag.warn('turnwatch: the logger provider could not be flushed', error);
}

function theRuntime(): Runtime<Turn> {
  running ??= create();
  return running;
}

function create(): Runtime<Turn> {
  const service = settings.serviceName ?? process.env.OTEL_SERVICE_NAME;
  const runtime = new Runtime<Turn>({
    processId: settings.processId ?? randomUUID(),
    bootId: randomUUID(),
    clock: processClock(),
    timers: processTimers,
    hostClass: settings.hostClass ?? hostClassOf(),
    service: service === '' ? undefined : service,
    everyEvent: settings.everyEvent,
    newId: randomUUID,
    onFirstTurn: () =>
      followExit(process, {
        hasNews: () => wasToldSinceFarewell && !flushIsUseless(),
        farewell,
        flush,
      }),
  });
  runtime.emitter.setLoggerProvider(given);
  return runtime;
}

function inert(runtime: Runtime<Turn>, link: TraceLink): Turn {
  return new Turn(runtime, runtime.producer.inertTurn(), link);
}
