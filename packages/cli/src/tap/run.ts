import { flush, reportEngine } from '@turnwatch/instrumentation';
import { providerOf } from '@turnwatch/instrumentation/framework';
import type { Run } from '../command.ts';
import { lookAtEngine } from '../engine/look-at-engine.ts';
import { reportTo } from '../reporting.ts';
import { untilSignal } from '../until-signal.ts';
import { UsageError } from '../usage-error.ts';
import type { tapFlags } from './command.ts';
import { listenAddress } from './listen-address.ts';
import { TapServer } from './tap-server.ts';
import { TapTurns } from './tap-turns.ts';
import { isItself, routeTo, upstreamOf } from './upstream-kind.ts';

/** Whether anybody asks for anything or not: a client that is gone asks for nothing. */
const forgetEveryMs = 60_000;

/** Taps until a signal stops it. */
export const runTap: Run<typeof tapFlags> = async (flags, _operands, output) => {
  const upstream = upstreamOf(flags.upstream);
  const { host, port } = listenAddress(flags.listen ?? '127.0.0.1:4319', flags['allow-remote'] === true);
  if (isItself(upstream, { host, port }))
    throw new UsageError(
      `--upstream ${upstream.origin} is this tap itself, which listens on ${host}:${port}; give the address of the model API or the engine`,
    );
  const route = flags.route === 'api' || flags.route === 'local' ? flags.route : routeTo(upstream);
  if (flags.probe && route === 'api')
    throw new UsageError(
      `--probe looks at a local engine, and ${upstream.host} is none; add --route local if it is`,
    );
  const engineId = flags.engine ?? (route === 'local' ? upstream.host : undefined);
  const endpoint = reportTo('turnwatch-tap', flags, process.env, output);
  const turns = new TapTurns({
    provider: flags.provider ?? providerOf(upstream.origin),
    route,
    engineId,
    parentId: flags.parent,
    agent: flags.agent,
    attended: flags.attended === true,
    monoMs: () => performance.now(),
  });
  const server = new TapServer({ upstream, host, port, turns });
  const url = await server.start().catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      error.message = `port ${port} on ${host} is taken; choose another with --listen ${host}:PORT`;
    throw error;
  });
  const stopped = untilSignal(process);
  const looking =
    flags.probe && engineId !== undefined
      ? lookAtEngine({ url: upstream.origin, engine: engineId, kind: 'auto' }, output, reportEngine)
      : undefined;
  output.out(
    [
      '',
      `  turnwatch tap is up: ${url} -> ${upstream.href} (${route}).`,
      `  Turns are told to ${endpoint}.`,
      '',
      `  Give ${url} to the client as the base URL of its model API, with the path that it needs there, e.g.`,
      '',
      `    OPENAI_BASE_URL=${url}/v1  ANTHROPIC_BASE_URL=${url}`,
      '',
      '',
    ].join('\n'),
  );
  const forgetting = setInterval(() => turns.forget(), forgetEveryMs);
  await stopped;
  clearInterval(forgetting);
  const drainS = flags.drain ?? 30;
  const waiting = drainText(server.answersUnderWay, drainS);
  if (waiting !== undefined) output.err(`turnwatch tap: ${waiting}\n`);
  await looking?.stop();
  await server.stop(drainS * 1000);
  await flush();
  return 0;
};

/** What whoever has pressed Ctrl-C waits for, and how not to; undefined: for nothing. */
function drainText(answers: number, drainS: number): string | undefined {
  if (answers === 0 || drainS === 0) return undefined;
  const [what, it] = answers === 1 ? ['1 answer is', 'it'] : [`${answers} answers are`, 'them'];
  return `${what} still coming; waiting up to ${drainS} s for ${it}, Ctrl-C again cuts ${it}`;
}
