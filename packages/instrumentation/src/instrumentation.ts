import { randomUUID } from 'node:crypto';
import * as api from '@opentelemetry/api';
import type { Handmade } from './by-hand.ts';
import type { LoggerProviderLike } from './emit.ts';
import { followExit } from './exit.ts';
import { hostClassOf } from './host-class.ts';
import { Lane } from './lane/lane.ts';
import { type LaneTarget, type TargetOptions, targetOf } from './lane/target.ts';
import type { LocalDetector } from './local-detector.ts';
import { printAsAsked } from './outage-teller.ts';
import { tellOutage, toStderr } from './outages.ts';
import { processClock, processTimers } from './process-clock.ts';
import type { ProducerClock } from './producer/awake-clock.ts';
import type { Counters } from './producer/counters.ts';
import type { EngineReport, TurnOptions } from './producer/options.ts';
import type { HostClass } from './producer/signal.ts';
import type { RequestHandle } from './request.ts';
import { resourceOf, serviceNameOf } from './resource.ts';
import { guarded, Runtime } from './runtime.ts';
import { supervisedId } from './supervised-id.ts';
import { linkTurn, type TraceLink } from './trace-link.ts';
import { Turn } from './turn.ts';

export interface InstrumentationOptions extends TargetOptions {
  /**
   * Base URL of the detector or Collector that the heartbeat lane sends to, OTLP over HTTP. Default: `TURNWATCH_ENDPOINT`,
   * else OpenTelemetry's variables; where none is set records go to the OpenTelemetry logger of the process.
   */
  readonly endpoint?: string | undefined;
  /** Sent with every request of the lane, e.g. `authorization`. Default: those of the variables. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * A worker thread beats and sends, so that neither a blocked main loop nor a hanging collector is silence. Default true,
   * where an endpoint is known and no logger provider was given; `TURNWATCH_LANE=off` switches it off.
   */
  readonly lane?: boolean | undefined;
  /**
   * A detector in this process, `createDetector` of `@turnwatch/detector/embedded`: it gets every record as it is made, beside
   * the lane or the logger or with neither. Default: none.
   */
  readonly detector?: LocalDetector | undefined;
  /** `service.name` of this process, shown with its turns. Default: `OTEL_SERVICE_NAME`, else none. */
  readonly serviceName?: string | undefined;
  /** Only for a process that owns its slot alone: a newer process with the same id proves that the older is gone. Default: random. */
  readonly processId?: string | undefined;
  /** Default: `portable` where a battery is found and on macOS and Windows, else `server`. */
  readonly hostClass?: HostClass | undefined;
  /**
   * Spans and metrics for people, by the tracer and meter provider of the process; without any they cost next to nothing.
   * Default true; `TURNWATCH_SPANS=off` switches them off.
   */
  readonly spans?: boolean | undefined;
  /** Also send every chunk, keep-alive, lifecycle event, prompt read and tool progress by itself. Default false. */
  readonly everyEvent?: boolean | undefined;
}

export interface StartOptions extends Omit<TurnOptions, 'spanId'> {
  /** W3C trace context of the parent turn in another process. Default: the parent turn's or the active span's. */
  readonly traceparent?: string | undefined;
}

/** What a start without code has to say about turns. It throws nothing. */
export interface WithoutCode {
  /**
   * Before the first turn.
   *
   * @param isSetUp `setup()` has done the rest.
   * @returns where the lane sends to, if nothing else names a place.
   */
  prepare(isSetUp: boolean): LaneTarget | undefined;
  /** The turn of code that runs in none. */
  outside(): Turn | undefined;
  /** What the options of a turn leave open. */
  complete(options: StartOptions, isOutermost: boolean): StartOptions;
}

let settings: InstrumentationOptions = {};
let withoutCode: WithoutCode | undefined;
let running: Runtime<Turn> | undefined;
let given: LoggerProviderLike | undefined;
let flushing: Promise<void> = Promise.resolve();
let flushIsUseless: () => boolean = () => false;
let wasToldSinceFarewell = false;
let lane: Lane | undefined;
let laneTarget: LaneTarget | undefined;

/** Sets up this process. Only before its first turn; later it is ignored with a warning to OpenTelemetry's diagnostics. */
export function configure(options: InstrumentationOptions): void {
  if (running !== undefined) {
    api.diag.warn('turnwatch: configure() comes too late, a turn has been started already; call it first');
    return;
  }
  settings = { ...settings, ...options };
}

/** For `setup`: opens the lane to there, if no turn has been started before. @returns whether there is a lane. */
export function openLaneTo(target: LaneTarget): boolean {
  laneTarget ??= target;
  theRuntime();
  return lane?.alive === true;
}

/** Sends records to this provider in place of the one that is registered globally; `undefined` goes back to that. */
export function setLoggerProvider(provider: LoggerProviderLike | undefined): void {
  given = provider;
  running?.emitter.setLoggerProvider(provider);
  if (running !== undefined && provider !== undefined && lane?.alive === true)
    api.diag.warn(
      'turnwatch: records go by the lane already; give the logger provider before the first turn',
    );
}

/** For a start without code. */
export function startWithoutCode(it: WithoutCode): void {
  withoutCode = it;
}

/** For a tap of the whole process: requests that are counted, though their bytes come in in no turn. */
export function requestsByHand(): readonly Handmade<RequestHandle>[] {
  return running?.byHand.open() ?? [];
}

export function startTurn(given: StartOptions = {}): Turn {
  const runtime = theRuntime();
  const scope = runtime.scope.getStore();
  const options = withoutCode?.complete(given, scope === undefined) ?? given;
  const parent = options.parentId === undefined || options.parentId === scope?.turn.id ? scope : undefined;
  const opened = runtime.recorder?.open(options, parent);
  const link = opened?.link ?? linkTurn(options, parent?.turn.trace);
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
    opened?.started(turn);
    return new Turn(runtime, turn, link);
  } catch (error) {
    api.diag.error('turnwatch: a turn could not be started; it goes on without telemetry', error);
    return inert(runtime, link);
  }
}

/** Somebody else's spans tell of what `run` starts: it gets none of ours, and a turn goes by `span`. */
export function asForeign<T>(span: TraceLink | undefined, run: () => T): T {
  const { recorder } = theRuntime();
  return recorder === undefined ? run() : recorder.asForeign(span, run);
}

/** The turn that the calling code runs in, by `withTurn`, `withRequest` or `withToolCall`. */
export function currentTurn(): Turn | undefined {
  return running?.scope.getStore()?.turn ?? withoutCode?.outside();
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
  flushing = flushing.then(async () => running?.flush()).catch(reportFlush);
  return flushing;
}

/** Says that the process exits, if a turn was started since it was last said. */
export function farewell(code?: number): void {
  if (!wasToldSinceFarewell) return;
  wasToldSinceFarewell = false;
  running?.producer.exiting(code);
}

/** The host is about to sleep, and the program knows (Electron's `powerMonitor`, logind): its silence is no death. */
export function suspending(): void {
  running?.producer.suspending();
}

/**
 * Tells what a look at a local engine showed, to which turns with this `engineId` owe their evidence. For agents that see
 * their engine themselves, and for a process beside it.
 */
export function reportEngine(engine: string, report: EngineReport): void {
  const runtime = theRuntime();
  guarded(() => {
    wasToldSinceFarewell = true;
    runtime.start();
    runtime.producer.engine(engine, report);
  });
}

/** For a supervisor: gets the process ready to report, and reports the exit of another one. */
export function reportsExits(): (
  processId: string,
  end: { readonly code?: number; readonly signal?: string },
) => void {
  const runtime = theRuntime();
  runtime.start();
  return (processId, end) => {
    // Also where this process exits next: the exit then waits for the record.
    wasToldSinceFarewell = true;
    runtime.producer.exited(processId, end);
  };
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
  printAsAsked(process.env, toStderr);
  const service = settings.serviceName ?? serviceNameOf(process.env);
  const clock = processClock();
  const ownTarget = withoutCode?.prepare(laneTarget !== undefined);
  lane = openLane(clock, service, ownTarget);
  const runtime = new Runtime<Turn>({
    processId: supervisedId(process.env, process.ppid) ?? settings.processId ?? randomUUID(),
    bootId: randomUUID(),
    clock,
    lane,
    detector: settings.detector,
    timers: processTimers,
    hostClass: settings.hostClass ?? hostClassOf(),
    service,
    everyEvent: settings.everyEvent,
    spans: settings.spans !== false && process.env.TURNWATCH_SPANS !== 'off',
    newId: randomUUID,
    onFirstTurn: () =>
      followExit(process, {
        hasNews: () => wasToldSinceFarewell && !flushIsUseless(),
        farewell,
        flush,
        canFlushNow: () => runtime.canFlushNow,
        flushNow: () => runtime.flushNow(),
      }),
  });
  runtime.emitter.setLoggerProvider(given);
  return runtime;
}

/** The lane, where it has somewhere to send to and a thread can be had. */
function openLane(
  clock: ProducerClock,
  service: string | undefined,
  ownTarget: LaneTarget | undefined,
): Lane | undefined {
  if (settings.lane === false || process.env.TURNWATCH_LANE === 'off' || given !== undefined)
    return undefined;
  try {
    const target = laneTarget ?? targetOf(settings, process.env) ?? ownTarget;
    if (target === undefined) return undefined;
    return new Lane({
      target,
      clock,
      service,
      resource: resourceOf(process.env),
      onOutage: (reason) => tellOutage(target.url, reason),
      onLost: (reason, lastSeq) => {
        running?.goOnWithoutLane(lastSeq);
        api.diag.warn(
          'turnwatch: the heartbeat thread has ended; the main thread goes on without it',
          reason,
        );
      },
    });
  } catch (error) {
    api.diag.warn('turnwatch: no heartbeat thread; the main thread beats, by the logger provider', error);
    return undefined;
  }
}

function inert(runtime: Runtime<Turn>, link: TraceLink): Turn {
  return new Turn(runtime, runtime.producer.inertTurn(), link);
}
