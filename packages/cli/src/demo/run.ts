import type { Run } from '../command.ts';
import type { demoFlags } from './command.ts';
import { jsonShow } from './json-show.ts';
import { Stage } from './stage.ts';
import { textShow } from './text-show.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const interruptedCode = 130;

/** Runs the demo; with `--exit` until the story is over, else until Ctrl-C. */
export const runDemoCommand: Run<typeof demoFlags> = async (flags, _operands, output) => {
  const show = flags.json === true ? jsonShow(output) : textShow(output);
  const interrupted = interruption();
  const stage = new Stage(show, flags.port);
  // For whatever ends this process before its time.
  const lastMoment = (): void => stage.cast.stopNow();
  process.once('exit', lastMoment);
  try {
    const summary = await Promise.race([stage.perform(), interrupted.signalled]);
    if (summary === undefined) return interruptedCode;
    if (!summary.passed)
      for (const complaint of stage.cast.complaints) output.err(`detector: ${complaint}\n`);
    if (flags.exit !== true) {
      show.staysUp(summary.detector);
      await interrupted.signalled;
    }
    return summary.passed ? 0 : 1;
  } catch (error) {
    // Whoever reads JSON lines waits for the summary, whatever happens.
    if (flags.json === true) {
      const message = error instanceof Error ? error.message : String(error);
      show.end({ passed: false, seconds: 0, timerLagMs: 0, detector: '', rows: [], faults: [message] });
    }
    throw error;
  } finally {
    await stage.end();
    process.off('exit', lastMoment);
    interrupted.forget();
  }
};

/** The first signal ends the demo in order, a second one at once. */
function interruption(): { readonly signalled: Promise<undefined>; forget(): void } {
  let asked = false;
  let onSignal = (): void => undefined;
  const signalled = new Promise<undefined>((resolve) => {
    onSignal = () => {
      if (asked) process.exit(interruptedCode);
      asked = true;
      resolve(undefined);
    };
  });
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signalled,
    forget: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
