import type { Phase, StaleReason, TurnView, WaitingFor } from '@turnwatch/core';
import { spellMs } from './spell-ms.ts';

const phaseWords: Readonly<Record<Phase, string>> = {
  queued: 'while its request was queued',
  first_token: 'before the first token',
  reasoning: 'while reasoning',
  text: 'while writing text',
  tool_args: 'while writing tool arguments',
  non_streaming: 'in a request without streaming',
  compacting: 'while compacting its history',
  agent: 'in the agent’s own code',
  idle: 'while nothing is open',
  tool: 'while tools run',
  waiting: 'while waiting',
};

const waitWords: Readonly<Record<WaitingFor, string>> = {
  approval: 'for an approval',
  input: 'for input',
  rate_limit: 'for a rate limit',
  schedule: 'for its schedule',
  child: 'for a child turn',
  retry: 'to try again',
};

/** Why a turn is held for what it is, in one sentence. What a verdict says is of the instant it was made. */
export function sentenceOf(view: TurnView): string {
  switch (view.state) {
    case 'ended':
      return view.outcome === 'unknown'
        ? 'Its process no longer lists it, so it has ended; how, nobody said.'
        : `It has ended: ${view.outcome}.`;
    case 'expired':
      return view.expiresByDefault
        ? 'The detector’s default horizon passed before it ended, whatever was open then.'
        : 'The horizon it was given passed before it ended, whatever was open then.';
    case 'stale': {
      const judged = view.verdict ?? view;
      const allowed =
        judged.confirmMs > 0
          ? `${spellMs(judged.thresholdMs)} and ${spellMs(judged.confirmMs)} to confirm are allowed`
          : `${spellMs(judged.thresholdMs)} is allowed`;
      const silent = `It was silent for ${spellMs(judged.silenceMs)} ${phaseWords[view.verdict?.phase ?? view.phase]}; ${allowed}`;
      return staleSentence(view, view.reason ?? 'silence', silent);
    }
    case 'suspect':
      return `It has been silent for longer than ${spellMs(view.thresholdMs)} ${phaseWords[view.phase]}; it is stale after another ${spellMs(view.confirmMs)} unless it moves.`;
    case 'running':
      return runningSentence(view);
  }
}

function staleSentence(view: TurnView, reason: StaleReason, silent: string): string {
  switch (reason) {
    case 'silence':
      return `${silent}.`;
    case 'engine_only':
      return `${silent}, and what its engine showed has counted for as long as it may.`;
    case 'tool_silence': {
      const calls = view.verdict?.pendingCalls ?? view.calls;
      const call = calls.find(({ id }) => view.expiredCalls.includes(id)) ?? calls[0];
      return call === undefined
        ? 'A tool call was quiet for longer than its grace.'
        : `The tool call ${call.name ?? call.id} was quiet for its whole grace of ${spellMs(call.graceMs)}.`;
    }
    case 'lost_completion':
      return 'A child turn has ended, and its completion did not come back to the turn that waits for it.';
    case 'no_content':
      return 'It went on for very long without any content, step or completed request.';
    case 'process_exited':
      return 'Its process has exited and left it open.';
    case 'process_unreachable':
      return 'Its process has not been heard for as long as its kind of host is given, while the way here worked.';
    case 'process_blocked':
      return 'The main loop of its process is stuck: nothing in it can go on.';
    case 'provider_error':
      return 'Its provider answered with an error that cannot be retried, and nothing followed.';
  }
}

function runningSentence(view: TurnView): string {
  if (view.waiting !== null && view.phase === 'waiting')
    return `It waits ${waitWords[view.waiting.for]}; its silence does not count meanwhile.`;
  if (view.phase === 'idle')
    return 'Nothing is open, and its telemetry does not tell whether it has ended or waits: its silence is not judged.';
  if (view.phase === 'tool') {
    const call = view.calls.reduce<TurnView['calls'][number] | undefined>(
      (quietest, one) => (quietest === undefined || one.quietMs > quietest.quietMs ? one : quietest),
      undefined,
    );
    if (call === undefined) return 'Tools run; its silence does not count meanwhile.';
    return `The tool call ${call.name ?? call.id} has been quiet for ${spellMs(call.quietMs)} of ${spellMs(call.graceMs)}; the turn’s own silence does not count meanwhile.`;
  }
  return `It works: silent for ${spellMs(view.silenceMs)} of ${spellMs(view.thresholdMs)} ${phaseWords[view.phase]}.`;
}
