import { turnDocument } from '@turnwatch/protocol';
import type { Run } from '../command.ts';
import type { Flags } from '../flags.ts';
import { UsageError } from '../usage-error.ts';
import { ApiClient } from './api-client.ts';
import type { muteFlags, orderFlags, thresholdFlags } from './command.ts';
import { idOf } from './run-turns.ts';
import { turnText } from './turn-text.ts';

type OrderFlags = Flags<typeof orderFlags & typeof muteFlags & typeof thresholdFlags>;

/** `turnwatch ack | mute | unmute | close | threshold` */
export function runOrder(name: 'acknowledge' | 'mute' | 'unmute' | 'close' | 'threshold'): Run {
  return async (given, operands, output) => {
    const flags = given as OrderFlags;
    const id = idOf(operands);
    const said = name === 'mute' ? muteOf(flags) : name === 'threshold' ? thresholdOf(flags) : {};
    const body = { ...said, ...(flags.why === undefined ? {} : { why: flags.why }) };
    const path = `/v1/turns/${encodeURIComponent(id)}/${name}`;
    const answer = await new ApiClient(flags, process.env).call('POST', path, { body });
    output.out(flags.json === true ? `${JSON.stringify(answer)}\n` : turnText(turnDocument.parse(answer)));
    return 0;
  };
}

function muteOf({ for: forS, until }: OrderFlags): object {
  if (forS !== undefined && until !== undefined) throw new UsageError('leave out one of --for and --until');
  if (until !== undefined) {
    const instant = new Date(until);
    if (Number.isNaN(instant.getTime()))
      throw new UsageError(
        `--until ${JSON.stringify(until)} is no instant; write it as 2026-12-01T06:00:00Z`,
      );
    return { until: instant.toISOString() };
  }
  return forS === undefined ? {} : { forMs: Math.round(forS * 1000) };
}

function thresholdOf({ seconds, clear, phase }: OrderFlags): object {
  if ((seconds === undefined) === (clear !== true))
    throw new UsageError('threshold needs either --seconds S or --clear');
  return {
    thresholdMs: seconds === undefined ? null : Math.round(seconds * 1000),
    ...(phase === undefined ? {} : { phase }),
  };
}
