import {
  allMappers,
  type ReplayedVerdict,
  type ReplayOptions,
  type ReplayResult,
  replayCapture,
} from '@turnwatch/detector';
import type { Run } from '../command.ts';
import { captureJson, verdictJson } from './capture-json.ts';
import { captureText, verdictText } from './capture-text.ts';
import type { replayFlags } from './command.ts';
import { filePieces } from './file-bytes.ts';

/** Every file in a detector of its own, whatever becomes of the others. Exit code 1 where one could not be replayed. */
export const runCaptures: Run<typeof replayFlags> = async (flags, operands, output) => {
  const json = flags.json === true;
  let unread = 0;
  for (const file of [...(flags.capture ?? []), ...operands]) {
    const result = await replay(file, await optionsOf(flags));
    if (typeof result === 'string') {
      unread++;
      output.out(json ? `${JSON.stringify({ kind: 'capture', file, error: result })}\n` : `${result}\n\n`);
      continue;
    }
    if (holdsNothing(result)) {
      unread++;
      const error = `no line of ${result.lines} holds an export request: it is no capture`;
      output.out(
        json ? `${JSON.stringify({ ...captureJson(file, result), error })}\n` : `${file}\n  ${error}\n\n`,
      );
      continue;
    }
    const verdicts = inOrder(result);
    if (json) {
      for (const verdict of verdicts) output.out(`${JSON.stringify(verdictJson(file, verdict))}\n`);
      output.out(`${JSON.stringify(captureJson(file, result))}\n`);
    } else {
      output.out(`${file}\n`);
      for (const verdict of verdicts) output.out(`${verdictText(verdict)}\n`);
      output.out(`${captureText(result)}\n`);
    }
  }
  return unread === 0 ? 0 : 1;
};

/** A file without any line is a capture of nothing, and legal. */
function holdsNothing({ lines, unreadable }: ReplayResult): boolean {
  return lines > 0 && unreadable === lines;
}

async function optionsOf(flags: Parameters<typeof runCaptures>[0]): Promise<ReplayOptions> {
  const turns = flags['learned-turns'];
  return {
    // Mappers remember: each file gets new ones.
    plugins: await allMappers(),
    ...(flags.until === undefined ? {} : { untilMs: flags.until * 1000 }),
    ...(turns === undefined ? {} : { learned: { turns, largestGapMs: (flags['learned-gap'] ?? 0) * 1000 } }),
  };
}

async function replay(file: string, options: ReplayOptions): Promise<ReplayResult | string> {
  try {
    return await replayCapture(filePieces(file), options);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.startsWith(file) ? message : `${file}: ${message}`;
  }
}

function inOrder({ verdicts }: ReplayResult): readonly ReplayedVerdict[] {
  return [...verdicts].sort((a, b) => a.sinceFirstMs - b.sinceFirstMs);
}
