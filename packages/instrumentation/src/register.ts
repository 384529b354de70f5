import { isEnabled } from './register/settings.ts';

// node --import @turnwatch/instrumentation/register agent.mjs
//
// Nothing here may fail its agent, and nothing is loaded where it is switched off.
if (isEnabled(process.env)) {
  try {
    const { start } = await import('./register/start.ts');
    start(process.env);
  } catch (error) {
    // Without OpenTelemetry's API there are no diagnostics to tell it to.
    if (process.env.TURNWATCH_LOG !== 'off')
      process.stderr.write(`turnwatch: this process is not observed: ${String(error)}\n`);
  }
}
