import { isEngineKind } from '@turnwatch/engines';
import { flush, reportEngine } from '@turnwatch/instrumentation';
import type { Run } from '../command.ts';
import type { Output } from '../output.ts';
import { reportTo } from '../reporting.ts';
import { untilSignal } from '../until-signal.ts';
import { UsageError } from '../usage-error.ts';
import { withoutPassword } from '../without-password.ts';
import type { engineFlags } from './command.ts';
import { kindOf, type LookOptions, lookAtEngine, probeOf, reasonOf } from './look-at-engine.ts';
import { readingText } from './reading-text.ts';

const onceMs = 10_000;

/** Looks at an engine until a signal stops it. */
export const runEngine: Run<typeof engineFlags> = async (flags, _operands, output) => {
  const { url, kind = 'auto', name, every } = flags;
  if (url === undefined) throw new UsageError('--url URL is needed: where the engine answers');
  if (!URL.canParse(url) || !/^https?:\/\//i.test(url))
    throw new UsageError(
      `--url must be an http(s) URL such as http://127.0.0.1:8080, not ${JSON.stringify(withoutPassword(url))}`,
    );
  const { username, password } = new URL(url);
  if (username !== '' || password !== '')
    throw new UsageError(
      '--url takes no credentials, which others would see in the list of processes: name the variable of a bearer token by --token-env',
    );
  if (flags.json && !flags.once) throw new UsageError('--json goes with --once');
  const options: LookOptions = {
    url,
    kind: isEngineKind(kind) ? kind : 'auto',
    engine: name,
    tokenEnv: flags['token-env'],
    ...(every === undefined ? {} : { everyMs: every * 1000 }),
  };
  if (flags.once) return lookOnce(options, flags.json === true, output);
  const endpoint = reportTo('turnwatch-engine', flags, process.env, output);
  const stopped = untilSignal(process);
  const looking = lookAtEngine(options, output, reportEngine);
  output.out(`turnwatch engine looks at ${url} and tells ${endpoint}\n`);
  await stopped;
  await looking.stop();
  await flush();
  return 0;
};

async function lookOnce(options: LookOptions, json: boolean, output: Output): Promise<number> {
  const probe = probeOf(options);
  try {
    const reading = await probe.probe(AbortSignal.timeout(onceMs));
    output.out(
      json
        ? `${JSON.stringify({ engine: probe.engine, ...reading })}\n`
        : readingText(probe.engine, reading, await kindOf(options)),
    );
    return 0;
  } catch (error) {
    if (json)
      output.out(
        `${JSON.stringify({ engine: probe.engine, state: 'unreachable', error: reasonOf(error) })}\n`,
      );
    output.err(`turnwatch engine: ${probe.engine} at ${options.url} cannot be seen: ${reasonOf(error)}\n`);
    return 1;
  }
}
