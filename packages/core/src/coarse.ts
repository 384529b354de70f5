import type {
  ActivityKind,
  CallReport,
  ErrorReport,
  Happening,
  RequestReport,
  TurnReport,
  WaitingFor,
  WaitingReport,
} from './signal.ts';
import type { Stamp } from './time.ts';

// Producers without heartbeats (telemetry of other makers, a script with curl) send single happenings. They are folded
// into the same report that an SDK sends whole, on the detector's clock of arrival (RULES 5: precision `coarse`).

/** A retry or rate limit that names no time is given this long (RULES 2). */
const defaultRetryMs = 60_000;

/** The report after one more happening at `a`. Without a report: the first thing heard of the turn. */
export function coarseReport(known: TurnReport | undefined, happening: Happening, a: Stamp): TurnReport {
  const before = passUntil(known ?? { ...blank(a) }, a);
  return settlePhase(before, fold(before, happening, a), a);
}

/** A wait's `until` that has passed by `a` turns the wait into a handover. */
export function passUntil(report: TurnReport, a: Stamp): TurnReport {
  const { waiting } = report;
  if (waiting?.untilInMs === undefined || waiting.call !== undefined) return report;
  const untilA = waiting.sinceA + waiting.untilInMs;
  if (a < untilA) return report;
  const { waiting: _over, ...rest } = report;
  const calls = report.calls.map((call) => ({ ...call, quietSinceA: untilA }));
  return calls.length > 0
    ? { ...rest, calls, phase: 'tool', phaseA: untilA, handover: false }
    : { ...rest, calls, phase: 'agent', phaseA: untilA, handover: true };
}

function blank(a: Stamp): TurnReport {
  return {
    phase: 'agent',
    phaseA: a,
    lastA: a,
    lastKind: 'turn_started',
    productiveA: a,
    handover: false,
    requests: [],
    calls: [],
    chunks: 0,
  };
}

function fold(report: TurnReport, happening: Happening, a: Stamp): TurnReport {
  switch (happening.name) {
    case 'heartbeat':
      return report;
    case 'started':
    case 'adopted':
      return active(report, a, 'turn_started');
    case 'ended':
      return happening.outcome === 'completed'
        ? { ...productive(active(report, a, 'request_ended'), a), completedA: a, requests: [], calls: [] }
        : { ...active(report, a, 'request_failed'), failedA: a, requests: [], calls: [] };
    case 'step':
      return productive(working(report, a, 'agent_step'), a);
    case 'idle': {
      const { waiting: _over, ...rest } = report;
      return { ...rest, handover: false, requests: [], calls: [], phase: 'idle', phaseA: a };
    }
    case 'request_started': {
      const request: RequestReport = {
        id: happening.request,
        startedA: a,
        streaming: happening.streaming,
        ...(happening.promptTokens === undefined ? {} : { promptTokens: happening.promptTokens }),
        ...(happening.expiresInMs === undefined ? {} : { expiresInMs: happening.expiresInMs }),
      };
      const others = report.requests.filter((other) => other.id !== request.id);
      const { progressA: _p, keepaliveA: _k, ...fresh } = cleared(working(report, a, 'request_started'));
      return { ...fresh, requests: [...others, request] };
    }
    case 'request_ended':
      return requestEnded(report, happening, a);
    case 'first_chunk':
    case 'chunk':
      return content(report, happening, a);
    case 'lifecycle':
    case 'keepalive':
      return report.requests.length > 0 ? { ...report, keepaliveA: a } : report;
    case 'prompt_read': {
      const moved =
        report.promptRead === undefined ? happening.read > 0 : happening.read !== report.promptRead.read;
      const promptRead = {
        read: happening.read,
        ...(happening.total === undefined ? {} : { total: happening.total }),
      };
      return report.requests.length > 0 && moved
        ? productive({ ...report, promptRead, progressA: a }, a)
        : { ...report, promptRead };
    }
    case 'tool_started': {
      const call: CallReport = {
        id: happening.call,
        startedA: a,
        quietSinceA: a,
        updates: 0,
        ...(happening.tool === undefined ? {} : { name: happening.tool }),
        ...(happening.timeoutMs === undefined ? {} : { timeoutMs: happening.timeoutMs }),
      };
      if (report.calls.some((other) => other.id === call.id)) return report;
      const started = cleared(working(report, a, 'tool_started'));
      return { ...started, calls: [...started.calls, call] };
    }
    case 'tool_progress':
      return {
        ...report,
        calls: report.calls.map((call) =>
          call.id === happening.call ? { ...call, quietSinceA: a, updates: call.updates + 1 } : call,
        ),
      };
    case 'tool_ended':
      // A second terminal update of a call is a duplicate, never activity (report 001).
      return report.calls.some((call) => call.id === happening.call)
        ? {
            ...active(report, a, 'tool_ended'),
            calls: report.calls.filter((call) => call.id !== happening.call),
          }
        : report;
    case 'waiting':
      return wait(report, happening.for, happening.untilInMs, happening.call, a);
    case 'resumed':
      return resumed(active(report, a, 'waiting_ended'), a);
    case 'compaction_started':
      return { ...working(report, a, 'compaction_started'), phase: 'compacting', phaseA: a };
    case 'compaction_ended':
      return { ...active(report, a, 'compaction_ended'), phase: 'agent', phaseA: a };
    case 'provider_error': {
      // A wait begins, which is activity; what failed shows no health, as with a failed request.
      if (happening.retryable)
        return { ...wait(report, 'retry', happening.retryInMs, undefined, a), failedA: a };
      const error: ErrorReport = { type: happening.errorType ?? 'error', retryable: false, atA: a };
      return { ...report, error };
    }
  }
}

function active(report: TurnReport, a: Stamp, lastKind: ActivityKind): TurnReport {
  const awake = report.phase === 'idle' ? ({ phase: 'agent', phaseA: a } as const) : {};
  return { ...report, ...awake, lastA: a, firstA: a, lastKind, handover: false };
}

/**
 * Work: it ends a wait for a retry or a limit. One for a person, a schedule or a child ends only with the model's work;
 * tools and steps may run beside it.
 */
function working(report: TurnReport, a: Stamp, lastKind: ActivityKind): TurnReport {
  const acted = active(report, a, lastKind);
  const { waiting } = report;
  const over =
    lastKind === 'request_started' ||
    lastKind === 'chunk' ||
    waiting?.for === 'retry' ||
    waiting?.for === 'rate_limit';
  return over && waiting?.call === undefined ? resumed(acted, a) : acted;
}

function productive(report: TurnReport, a: Stamp): TurnReport {
  return { ...report, productiveA: a };
}

function cleared(report: TurnReport): TurnReport {
  const { error: _error, ...rest } = report;
  return rest;
}

function resumed(report: TurnReport, a: Stamp): TurnReport {
  const { waiting, ...rest } = report;
  if (waiting === undefined) return report;
  return {
    ...rest,
    calls: report.calls.map((call) =>
      waiting.call === undefined || waiting.call === call.id ? { ...call, quietSinceA: a } : call,
    ),
  };
}

function wait(
  report: TurnReport,
  reason: WaitingFor,
  untilInMs: number | undefined,
  call: string | undefined,
  a: Stamp,
): TurnReport {
  const until = untilInMs ?? (reason === 'retry' || reason === 'rate_limit' ? defaultRetryMs : undefined);
  const waiting: WaitingReport = {
    for: reason,
    sinceA: a,
    ...(until === undefined ? {} : { untilInMs: until }),
    ...(call === undefined ? {} : { call }),
  };
  return { ...active(report, a, 'waiting_started'), waiting };
}

function requestEnded(
  report: TurnReport,
  happening: Extract<Happening, { name: 'request_ended' }>,
  a: Stamp,
): TurnReport {
  const requests = report.requests.filter((request) => request.id !== happening.request);
  if (requests.length === report.requests.length) return report;
  if (happening.outcome === 'completed')
    return { ...productive(active(report, a, 'request_ended'), a), completedA: a, requests };
  const failed: TurnReport = { ...active(report, a, 'request_failed'), failedA: a, requests };
  return happening.retryable === true
    ? { ...wait(failed, 'retry', happening.retryInMs, undefined, a), lastKind: 'request_failed' }
    : failed;
}

function content(
  report: TurnReport,
  happening: Extract<Happening, { name: 'chunk' | 'first_chunk' }>,
  a: Stamp,
): TurnReport {
  const id = happening.request ?? report.requests.at(-1)?.id;
  const told = productive(cleared(working(report, a, 'chunk')), a);
  return {
    ...told,
    lastContentA: a,
    chunks: report.chunks + 1,
    requests: report.requests.map((request) =>
      request.id === id && request.contentA === undefined ? { ...request, contentA: a } : request,
    ),
    ...(report.requests.length > 0 && report.phase !== 'compacting'
      ? contentPhase(report, happening.kind, a)
      : {}),
  };
}

function contentPhase(
  report: TurnReport,
  kind: 'text' | 'reasoning' | 'tool_args',
  a: Stamp,
): Pick<TurnReport, 'phase' | 'phaseA'> {
  return report.phase === kind ? { phase: kind, phaseA: report.phaseA } : { phase: kind, phaseA: a };
}

/** The phase that follows from what is open; an unchanged phase keeps its start. */
function settlePhase(before: TurnReport, after: TurnReport, a: Stamp): TurnReport {
  const phase = phaseOf(before, after);
  if (phase === after.phase) return after;
  return { ...after, phase, phaseA: a };
}

function phaseOf(before: TurnReport, after: TurnReport): TurnReport['phase'] {
  if (after.waiting !== undefined && after.waiting.call === undefined) return 'waiting';
  if (after.phase === 'compacting') return 'compacting';
  const request = after.requests.at(-1);
  if (request !== undefined) {
    if (request.id !== before.requests.at(-1)?.id) return request.streaming ? 'first_token' : 'non_streaming';
    if (isContentPhase(after.phase) || after.phase === 'first_token' || after.phase === 'non_streaming')
      return after.phase;
    // Back from a wait: the request goes on where it was; what it was is told by its content.
    if (before.phase === 'waiting' && !after.handover)
      return request.streaming ? (request.contentA === undefined ? 'first_token' : 'text') : 'non_streaming';
    return after.phase;
  }
  if (after.calls.length > 0) return 'tool';
  return after.phase === 'idle' ? 'idle' : 'agent';
}

function isContentPhase(phase: TurnReport['phase']): boolean {
  return phase === 'text' || phase === 'reasoning' || phase === 'tool_args';
}
