import type { Signal } from '@turnwatch/core';
import type { ForeignRecord } from '@turnwatch/plugin';
import type { ForeignSelection, Maker } from '@turnwatch/protocol/otlp';
import type { Request, RequestHandler, Response } from 'express';
import type { SenderToken } from '../access/tokens.ts';
import type { Logger } from '../logger.ts';
import type { Accepted, MergeRefusal } from '../pipeline/accepted.ts';
import { encodeRefusal, encodeSuccess, type OtlpSignal, type PartialSuccess } from './codec.ts';
import { contentTypeOf, encodingOf, requireEncoding } from './content-type.ts';
import { IngestError, type IngestReason } from './ingest-error.ts';
import type { Intake } from './intake.ts';
import { directPath } from './paths.ts';
import { tellForeign, tellRefusal } from './refusal-log.ts';

/** Why a record of ours was refused; the others of its batch are taken. `unusable`: an attribute is missing or wrong. */
type RecordRefusal = 'unusable' | MergeRefusal;

/** What a request came to, for the metrics. */
export interface ReceivedRequest {
  readonly signal: OtlpSignal;
  readonly status: number;
  /** Why it was refused as a whole; undefined: it was taken. */
  readonly reason?: IngestReason;
  /** As unpacked. */
  readonly bytes: number;
  /** Log records, spans or data points. */
  readonly records: number;
  /** The way it came in. */
  readonly path: string;
  readonly refused: ReadonlyMap<RecordRefusal, number>;
  /** Records that nothing is judged from, by whose they are. */
  readonly others: ReadonlyMap<Maker, number>;
}

export interface ReceiverOptions {
  /** Resolves when the signals are merged and kept; rejects when the sender is to try again. */
  readonly submit: (signals: readonly Signal[], path: string, owner: string | undefined) => Promise<Accepted>;
  readonly intake: Intake;
  readonly logger: Logger;
  readonly onRequest: (received: ReceivedRequest) => void;
  /** The way a request came in. Default: `direct`. */
  readonly pathOf?: (request: Request) => string;
  /** Takes records of other makers; rejects when the sender is to try again. Default: they are ignored. */
  readonly foreign?: () => ForeignTaker | undefined;
  /** Judges an `Authorization` header; undefined: no token is needed. Default: none is. */
  readonly authorize?: (
    authorization: string | undefined,
  ) => SenderToken | undefined | 'unknown' | 'forbidden';
}

export interface ForeignTaker extends ForeignSelection {
  take(records: readonly ForeignRecord[], owner: string | undefined): Promise<void>;
}

/** `POST /v1/logs`, what the detector judges from; `/v1/traces` and `/v1/metrics`, which are counted (PROTOCOL 2). */
export function receive(signal: OtlpSignal, options: ReceiverOptions): RequestHandler {
  const { intake, logger, onRequest } = options;
  const nothing = { bytes: 0, records: 0, refused: new Map(), others: new Map() };
  return async (request, response) => {
    let path = directPath;
    try {
      if (request.method !== 'POST')
        throw new IngestError(405, 'method', `${request.method} is not supported; use POST`);
      const token = requireToken(options.authorize?.(request.headers.authorization));
      path = options.pathOf?.(request) ?? directPath;
      const encoding = requireEncoding(request);
      const sender = intake.senders.of(request, token);
      const taker = options.foreign?.();
      const { signals, records, bytes, others, foreign, ...ours } = await intake.take(
        request,
        signal,
        encoding,
        sender,
        taker,
      );
      const merged = signals.length === 0 ? undefined : await options.submit(signals, path, sender.owner);
      if (foreign.length > 0) await taker?.take(foreign, sender.owner);
      const refused = refusedOf(ours.refused, merged);
      const foreigners = refused.get('not_owner');
      if (foreigners !== undefined) tellForeign(logger, request, token, foreigners);
      response.status(200).setHeader('content-type', contentTypeOf[encoding]);
      response.end(encodeSuccess(encoding, partialOf(refused, ours.reason)));
      // The detector's own canary and nothing else is not counted, so that an idle detector shows no ingest.
      if (records === 0 || signals.length < records || signals.some(({ type }) => type !== 'canary'))
        onRequest({ signal, status: 200, path, bytes, records, refused, others });
    } catch (error) {
      const refusal = refusalOf(error, logger);
      tellRefusal(logger, request, refusal);
      onRequest({ signal, status: refusal.status, path, reason: refusal.reason, ...nothing });
      refuse(request, response, refusal);
    }
  };
}

function refusedOf(unusable: number, merged: Accepted | undefined): ReadonlyMap<RecordRefusal, number> {
  const refused = new Map<RecordRefusal, number>(merged?.refused);
  if (unusable > 0) refused.set('unusable', unusable);
  return refused;
}

const whys: Readonly<Record<MergeRefusal, string>> = {
  not_owner: 'the turn, process or engine belongs to the owner of another token',
  too_many: 'more turns or processes are known than may be; see detector.ingest.maxTurns',
  not_mergeable: 'not mergeable; see the log of the detector',
};

function partialOf(
  refused: ReadonlyMap<RecordRefusal, number>,
  unusable: string | undefined,
): PartialSuccess | undefined {
  if (refused.size === 0) return undefined;
  const messages = [...refused.keys()].map((why) => (why === 'unusable' ? (unusable ?? why) : whys[why]));
  return {
    rejected: [...refused.values()].reduce((sum, count) => sum + count, 0),
    message: messages.join('; '),
  };
}

function requireToken(judged: SenderToken | undefined | 'unknown' | 'forbidden'): SenderToken | undefined {
  if (judged === 'unknown')
    throw new IngestError(
      401,
      'unauthorized',
      'a token is needed; set OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20TOKEN"',
    );
  if (judged === 'forbidden') throw new IngestError(403, 'unauthorized', 'the token lacks the scope ingest');
  return judged;
}

/** Whatever goes wrong here is ours to mend, so the batch is to be sent again: exporters drop it at once on 500. */
function refusalOf(error: unknown, logger: Logger): IngestError {
  if (error instanceof IngestError) return error;
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  if (name === 'StoreUnavailable') return new IngestError(503, 'store', message, error);
  logger.error({ err: error }, 'a batch could not be handled; its sender was asked to try again');
  return new IngestError(503, 'internal', 'the detector could not handle the batch; see its log', error);
}

function refuse(request: Request, response: Response, error: IngestError): void {
  if (response.headersSent || response.destroyed) return;
  const encoding = encodingOf(request) ?? 'json';
  response.status(error.status).setHeader('content-type', contentTypeOf[encoding]);
  if (error.status === 405) response.setHeader('allow', 'POST');
  if (error.status === 401) response.setHeader('www-authenticate', 'Bearer realm="turnwatch"');
  // Exporters give up on a long one and hurry on 0.
  if (error.retryable) response.setHeader('retry-after', '1');
  // The rest of a body that was not read cannot be followed by another request.
  if (!request.complete) {
    response.setHeader('connection', 'close');
    request.resume();
  }
  response.end(encodeRefusal(encoding, error));
}
