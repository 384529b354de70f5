import { turnDocument, turnList } from '@turnwatch/protocol';
import type { Run } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { ApiClient } from './api-client.ts';
import type { turnFlags, turnsFlags } from './command.ts';
import { turnRows, turnText } from './turn-text.ts';

/** `turnwatch turns` */
export const runTurns: Run<typeof turnsFlags> = async (flags, _operands, output) => {
  const query: Record<string, string> = { limit: String(flags.limit ?? 100) };
  for (const name of ['state', 'agent', 'parent'] as const) {
    const value = flags[name];
    if (value !== undefined) query[name] = value;
  }
  const answer = await new ApiClient(flags, process.env).call('GET', '/v1/turns', { query });
  if (flags.json === true) {
    output.out(`${JSON.stringify(answer)}\n`);
    return 0;
  }
  const { turns, nextCursor } = turnList.parse(answer);
  output.out(turnRows(turns));
  if (nextCursor !== null) output.err(`only the newest ${turns.length} are shown; see --limit\n`);
  return 0;
};

/** `turnwatch turn ID` */
export const runTurn: Run<typeof turnFlags> = async (flags, operands, output) => {
  const path = `/v1/turns/${encodeURIComponent(idOf(operands))}`;
  const answer = await new ApiClient(flags, process.env).call('GET', path);
  output.out(flags.json === true ? `${JSON.stringify(answer)}\n` : turnText(turnDocument.parse(answer)));
  return 0;
};

export function idOf([id]: readonly string[]): string {
  if (id === undefined || id === '')
    throw new UsageError('the id of the turn is missing; see turnwatch turns');
  return id;
}
