import type { Signal } from '@turnwatch/core';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../logger.ts';
import { type BodyLimits, readBody } from './body.ts';
import { decodeLogs, encodeRefusal, encodeSuccess } from './codec.ts';
import { contentTypeOf, type Encoding, encodingOf, requireEncoding } from './content-type.ts';
import { IngestError } from './ingest-error.ts';
import { directPath } from './paths.ts';

type OtlpSignal = 'logs' | 'traces' | 'metrics';

/** What a request came to, for the metrics. */
export interface ReceivedRequest {
  readonly signal: OtlpSignal;
  readonly status: number;
  readonly bytes: number;
  readonly records: number;
  readonly refused: number;
  /** Not ours. */
  readonly ignored: number;
  /** The way it came in. */
  readonly path: string;
}

export interface ReceiverOptions {
  /** Resolves when the signals are merged and kept; rejects when the sender is to try again. */
  readonly submit: (signals: readonly Signal[], path: string) => Promise<{ readonly refused: number }>;
  readonly limits: BodyLimits;
  readonly logger: Logger;
  readonly onRequest: (received: ReceivedRequest) => void;
  /** The way a request came in. Default: `direct`. */
  readonly pathOf?: (request: Request) => string;
  /** Judges an `Authorization` header. Default: everybody may send. */
  readonly authorize?: (authorization: string | undefined) => 'ok' | 'unknown' | 'forbidden';
}

/** `POST /v1/logs`: what the detector judges from (PROTOCOL 2). */
export function receiveLogs(options: ReceiverOptions): RequestHandler {
  return handler('logs', options, async (body, encoding, path) => {
    const decoded = decodeLogs(body, encoding);
    const { refused } =
      decoded.signals.length === 0 ? { refused: 0 } : await options.submit(decoded.signals, path);
    const all = decoded.refused + refused;
    const canaries = decoded.signals.filter(({ type }) => type === 'canary').length;
    const why = decoded.reason ?? 'not mergeable; see the log of the detector';
    return {
      records: decoded.records,
      refused: all,
      ignored: decoded.ignored,
      probe: decoded.records > 0 && decoded.records === canaries,
      answer: encodeSuccess(encoding, all === 0 ? undefined : { rejected: all, message: why }),
    };
  });
}

/** `POST /v1/traces` and `/v1/metrics`: taken and counted, so that one exporter setting serves all; nothing is judged from them. */
export function receiveUnjudged(signal: 'traces' | 'metrics', options: ReceiverOptions): RequestHandler {
  return handler(signal, options, async (_body, encoding) => ({
    records: 0,
    refused: 0,
    ignored: 0,
    answer: encodeSuccess(encoding, undefined),
  }));
}

interface Handled {
  readonly records: number;
  readonly refused: number;
  readonly ignored: number;
  readonly answer: Uint8Array;
  /** The detector's own canary and nothing else: not counted, so that an idle detector shows no ingest. */
  readonly probe?: boolean;
}

function handler(
  signal: OtlpSignal,
  options: ReceiverOptions,
  handle: (body: Buffer, encoding: Encoding, path: string) => Promise<Handled>,
): RequestHandler {
  return async (request, response) => {
    let bytes = 0;
    let path = directPath;
    try {
      if (request.method !== 'POST')
        throw new IngestError(405, `${request.method} is not supported; use POST`);
      requireToken(options.authorize?.(request.headers.authorization) ?? 'ok');
      path = options.pathOf?.(request) ?? directPath;
      const encoding = requireEncoding(request);
      const body = await readBody(request, options.limits);
      bytes = body.length;
      const { answer, probe = false, ...counts } = await handle(body, encoding, path);
      response.status(200).setHeader('content-type', contentTypeOf[encoding]);
      response.end(answer);
      if (!probe) options.onRequest({ signal, status: 200, bytes, path, ...counts });
    } catch (error) {
      const refusal = refusalOf(error, options.logger);
      options.onRequest({ signal, status: refusal.status, bytes, path, records: 0, refused: 0, ignored: 0 });
      refuse(request, response, refusal);
    }
  };
}

function requireToken(judged: 'ok' | 'unknown' | 'forbidden'): void {
  if (judged === 'unknown')
    throw new IngestError(
      401,
      'a token is needed; set OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20TOKEN"',
    );
  if (judged === 'forbidden') throw new IngestError(403, 'the token lacks the scope ingest');
}

/** Whatever goes wrong here is ours to mend, so the batch is to be sent again: exporters drop it at once on 500. */
function refusalOf(error: unknown, logger: Logger): IngestError {
  if (error instanceof IngestError) return error;
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  if (name === 'StoreUnavailable') return new IngestError(503, message, error);
  logger.error({ err: error }, 'a batch could not be handled; its sender was asked to try again');
  return new IngestError(503, 'the detector could not handle the batch; see its log', error);
}

function refuse(request: Request, response: Response, error: IngestError): void {
  if (response.headersSent || response.destroyed) return;
  const encoding = encodingOf(request) ?? 'json';
  response.status(error.status).setHeader('content-type', contentTypeOf[encoding]);
  if (error.status === 405) response.setHeader('allow', 'POST');
  if (error.status === 401) response.setHeader('www-authenticate', 'Bearer realm="turnwatch"');
  if (error.status === 503) response.setHeader('retry-after', '1');
  // The rest of a body that was not read cannot be followed by another request.
  if (!request.complete) {
    response.setHeader('connection', 'close');
    request.resume();
  }
  response.end(encodeRefusal(encoding, error));
}
