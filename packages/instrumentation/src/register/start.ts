import * as api from '@opentelemetry/api';
import { standByForAiSdk } from '../ai-sdk/follow.ts';
import { withinMs } from '../exit.ts';
import { flush, startTurn, startWithoutCode } from '../instrumentation.ts';
import { loadSdk, type Sdk, type SdkStart, startSdk } from '../node-sdk.ts';
import { tapWire } from '../stream/tap-undici.ts';
import { printDiagnostics } from './diag-log.ts';
import { implicitAgent, outsideTurns } from './outside-turns.ts';
import { ProcessTurn } from './process-turn.ts';
import { hasLogs, hasSdk, ownTarget, sdkWanted } from './sdk.ts';
import { settingsOf } from './settings.ts';
import { completed } from './turn-defaults.ts';

type Env = Readonly<Record<string, string | undefined>>;

const shutdownMs = 2000;

/** Observes this process as its environment says, without a line of the agent. */
export function start(env: Env): void {
  const settings = settingsOf(env);
  if (settings.log !== undefined) printDiagnostics(settings.log, (line) => process.stderr.write(line));
  const sdk = settings.sdk === 'off' ? undefined : sdkWanted(env);
  // Loaded while the agent has not begun: in the middle of its first turn it would hold that up.
  const loaded = sdk === undefined ? undefined : loadSdk(true);
  const processTurn = new ProcessTurn(process, () =>
    startTurn({ agent: settings.outermost.agent ?? implicitAgent }),
  );
  startWithoutCode({
    prepare(isSetUp) {
      for (const problem of settings.problems) api.diag.warn(`turnwatch: ${problem}`);
      if (isSetUp) return undefined;
      if (sdk !== undefined) guardedStart(sdk, loaded);
      return hasLogs() ? undefined : ownTarget(env);
    },
    outside: () => (settings.implicitTurns === 'process' ? processTurn.get() : undefined),
    complete: (options, isOutermost) => completed(options, settings, isOutermost),
  });
  tapWire({ outside: outsideTurns(settings) });
  standByForAiSdk();
}

/** The application may start an SDK after us, which must win: so this is not done before the first turn. */
function guardedStart(wanted: SdkStart, sdk: Sdk | undefined): void {
  if (hasSdk()) return;
  if (sdk === undefined) {
    api.diag.warn(
      'turnwatch: spans and metrics are not exported: npm install @opentelemetry/sdk-node, or set TURNWATCH_SDK=off',
    );
    return;
  }
  try {
    const shutdown = startSdk(sdk, wanted);
    const end = async (): Promise<void> => {
      // After everybody who has a last word to say at this moment.
      await Promise.resolve();
      await flush();
      await shutdown();
    };
    process.once('beforeExit', () => void withinMs(shutdownMs, end));
  } catch (error) {
    api.diag.warn('turnwatch: the OpenTelemetry SDK could not be started', error);
  }
}
