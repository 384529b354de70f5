import type { Request } from 'express';
import type { SenderToken } from '../access/tokens.ts';
import { addressOf } from '../http/address.ts';
import type { Logger } from '../logger.ts';
import type { IngestError, IngestReason } from './ingest-error.ts';

/** The first two are told by what went wrong there; a sender that hangs up mends itself. */
const toldElsewhere: ReadonlySet<IngestReason> = new Set(['store', 'internal', 'interrupted']);

/**
 * Warns of a batch that was refused as a whole: its sender may be one that prints nothing. The log writes the same complaint
 * once a minute. Never the token, nor what the batch holds.
 */
export function tellRefusal(logger: Logger, request: Request, error: IngestError): void {
  if (toldElsewhere.has(error.reason)) return;
  logger.warn(
    { code: error.reason, status: error.status, address: addressOf(request), why: whyOf(request, error) },
    'records were refused',
  );
}

function whyOf(request: Request, { status, reason, message }: IngestError): string {
  if (status === 401)
    return request.headers.authorization === undefined
      ? 'no token came with them; give the agent one by TURNWATCH_API_TOKEN'
      : 'their token is none of detector.tokens';
  // A parser quotes what it cannot read.
  return reason === 'malformed' ? 'the body cannot be read as OTLP; its sender was told where' : message;
}

/** Warns of records of a batch that belong to somebody else, once a minute for each sender. */
export function tellForeign(
  logger: Logger,
  request: Request,
  token: SenderToken | undefined,
  records: number,
): void {
  const sender = token?.id ?? addressOf(request);
  logger.warn(
    { code: 'not_owner', key: sender, records },
    'records were refused: their turn, process or engine belongs to the owner of another token; give tokens that share turns one owner',
  );
}
