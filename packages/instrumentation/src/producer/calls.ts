import { cleanId, cleanText } from '@turnwatch/protocol/wire';
import type { ToolOptions } from './options.ts';
import type { Outcome } from './signal.ts';
import { count, find, type TurnWork } from './turn-work.ts';

// The tool calls of a turn: each has its own grace, which only its own updates restart (001).

const maxOpenCalls = 1024;

/** @returns the call's id. An id that is still open is refused: the open call goes on, and it is counted. */
export function startCall(work: TurnWork, options: ToolOptions): string {
  const { state } = work;
  const id = cleanId(options.id ?? work.host.newId());
  const a = work.begin();
  if (a === undefined) return id;
  if (state.calls.has(id) || state.calls.size >= maxOpenCalls) {
    work.host.counters.refusedCalls++;
    return id;
  }
  const timeoutMs = count(options.timeoutMs);
  const name = options.name === undefined ? undefined : cleanText(options.name);
  state.work('tool_started', a);
  state.calls.set(id, {
    id,
    startedA: a,
    quietSinceA: a,
    updates: 0,
    ...(name === undefined ? {} : { name }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(options.childTurn === undefined ? {} : { childTurn: cleanId(options.childTurn) }),
  });
  state.settle(a);
  work.tell({
    name: 'tool_started',
    call: id,
    ...(name === undefined ? {} : { tool: name }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return id;
}

export function progressCall(work: TurnWork, callId: string): void {
  const a = work.begin();
  const call = find(work.state.calls, callId);
  if (a === undefined || call === undefined) return;
  call.quietSinceA = a;
  call.updates++;
  if (!work.mayTell(call.toldA, a)) return;
  call.toldA = a;
  work.tell({ name: 'tool_progress', call: call.id });
}

export function endCall(work: TurnWork, callId: string, outcome: Outcome): void {
  const a = work.begin();
  if (a === undefined) return;
  const { state } = work;
  const call = find(state.calls, callId);
  if (call === undefined) {
    work.host.counters.duplicateEnds++;
    return;
  }
  state.endWait(call.id, a);
  state.calls.delete(call.id);
  state.act('tool_ended', a);
  state.settle(a);
  work.tell({ name: 'tool_ended', call: call.id, outcome });
}

export function linkChild(work: TurnWork, callId: string, childTurn: string): void {
  const call = find(work.state.calls, callId);
  if (work.status === 'open' && call !== undefined) call.childTurn = cleanId(childTurn);
}
