import type { Answer } from './dialect.ts';
import { type Script, type Step, wordsOf } from './script.ts';

/** Resolves after `ms`; rejects when the signal fires. */
export type Pace = (ms: number, signal: AbortSignal) => Promise<void>;

/** Where an answer goes. */
interface Wire {
  write(bytes: string): void;
}

export interface Playing {
  readonly answer: Answer;
  /** Undefined: nothing is streamed, the answer is sent whole when the script is over. */
  readonly wire: Wire | undefined;
  /** Cuts the connection. */
  readonly drop: () => void;
  readonly pace: Pace;
  /** Fires when the client has gone away. */
  readonly gone: AbortSignal;
  readonly newId: () => string;
}

/** Plays a script step by step. False when the connection was cut; rejects when the client goes away. */
export async function play(script: Script, playing: Playing): Promise<boolean> {
  let begun = false;
  const begin = (): void => {
    if (!begun) playing.wire?.write(playing.answer.begin());
    begun = true;
  };
  for (const step of script) {
    if (step.do === 'drop') {
      playing.drop();
      return false;
    }
    if (step.do === 'begin' || step.do === 'text' || step.do === 'reasoning' || step.do === 'tool') begin();
    await playStep(step, playing);
  }
  begin();
  playing.wire?.write(playing.answer.end());
  return true;
}

async function playStep(step: Step, playing: Playing): Promise<void> {
  const { answer, wire, pace, gone, newId } = playing;
  switch (step.do) {
    case 'text':
    case 'reasoning': {
      let isFirst = true;
      for (const word of wordsOf(step.text)) {
        if (!isFirst) await pace(step.gapMs ?? 0, gone);
        isFirst = false;
        const bytes = step.do === 'text' ? answer.text(word) : answer.reasoning(word);
        wire?.write(bytes);
      }
      return;
    }
    case 'tool': {
      const { id = newId(), name, namespace, args = {} } = step;
      const bytes = answer.tool({ id, name, args, ...(namespace === undefined ? {} : { namespace }) });
      wire?.write(bytes);
      return;
    }
    case 'wait':
      return quiet(step.ms, step.keepaliveEveryMs, playing);
    case 'stall':
      return quiet(Number.POSITIVE_INFINITY, step.keepaliveEveryMs, playing);
    case 'begin':
    case 'drop':
    case 'refuse':
      // Taken by whoever plays the whole script.
      return;
  }
}

async function quiet(ms: number, everyMs: number | undefined, playing: Playing): Promise<void> {
  const { answer, wire, pace, gone } = playing;
  let leftMs = ms;
  while (leftMs > 0) {
    const partMs = Math.min(leftMs, everyMs ?? leftMs);
    await (Number.isFinite(partMs) ? pace(partMs, gone) : untilGone(gone));
    leftMs -= partMs;
    if (everyMs !== undefined && leftMs > 0) wire?.write(answer.keepalive());
  }
}

function untilGone(gone: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (gone.aborted) reject(gone.reason);
    gone.addEventListener('abort', () => reject(gone.reason), { once: true });
  });
}
