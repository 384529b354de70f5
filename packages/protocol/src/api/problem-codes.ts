/** What an error code of the HTTP API stands for. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly cause: string;
  readonly mend: string;
}

/** Stable codes of the HTTP API's errors: clients go by them, never by the text. Codes are only ever added. */
export type ProblemCode =
  | 'TURNWATCH_ERR_UNKNOWN_ROUTE'
  | 'TURNWATCH_ERR_METHOD_NOT_ALLOWED'
  | 'TURNWATCH_ERR_NOT_ACCEPTABLE'
  | 'TURNWATCH_ERR_UNSUPPORTED_MEDIA_TYPE'
  | 'TURNWATCH_ERR_BODY_TOO_LARGE'
  | 'TURNWATCH_ERR_BAD_BODY'
  | 'TURNWATCH_ERR_BAD_QUERY'
  | 'TURNWATCH_ERR_BAD_PATH'
  | 'TURNWATCH_ERR_UNAUTHORIZED'
  | 'TURNWATCH_ERR_FORBIDDEN'
  | 'TURNWATCH_ERR_TOO_MANY_REQUESTS'
  | 'TURNWATCH_ERR_TOO_MANY_FAILURES'
  | 'TURNWATCH_ERR_FOREIGN_HOST'
  | 'TURNWATCH_ERR_FOREIGN_ORIGIN'
  | 'TURNWATCH_ERR_UNKNOWN_TURN'
  | 'TURNWATCH_ERR_TURN_SETTLED'
  | 'TURNWATCH_ERR_UNKNOWN_BASELINE'
  | 'TURNWATCH_ERR_UNKNOWN_GAP'
  | 'TURNWATCH_ERR_CURSOR_GONE'
  | 'TURNWATCH_ERR_FEED_FULL'
  | 'TURNWATCH_ERR_UNKNOWN_ENDPOINT'
  | 'TURNWATCH_ERR_ENDPOINT_REFUSED'
  | 'TURNWATCH_ERR_ENDPOINT_EXISTS'
  | 'TURNWATCH_ERR_ENDPOINT_READ_ONLY'
  | 'TURNWATCH_ERR_ENDPOINT_DISABLED'
  | 'TURNWATCH_ERR_ENDPOINT_GONE'
  | 'TURNWATCH_ERR_TOO_MANY_ENDPOINTS'
  | 'TURNWATCH_ERR_UNKNOWN_DELIVERY'
  | 'TURNWATCH_ERR_NOT_DEAD'
  | 'TURNWATCH_ERR_STORE_UNAVAILABLE'
  | 'TURNWATCH_ERR_INTERNAL';

export const problemKinds: Readonly<Record<ProblemCode, ProblemKind>> = {
  TURNWATCH_ERR_UNKNOWN_ROUTE: {
    status: 404,
    title: 'There is nothing at this path',
    cause: 'The path is none of the detector’s.',
    mend: 'The answer lists the routes there are; `GET /openapi.json` describes them.',
  },
  TURNWATCH_ERR_METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    cause: 'The path exists, but not with this method.',
    mend: 'Use one of the methods in the header `Allow`.',
  },
  TURNWATCH_ERR_NOT_ACCEPTABLE: {
    status: 406,
    title: 'No representation that is accepted',
    cause: 'The header `Accept` allows none of the media types that this route answers in.',
    mend: 'Send `Accept: application/json`, or what the route answers in, or no such header.',
  },
  TURNWATCH_ERR_UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The body is of a type that is not read here',
    cause:
      'The body was sent with another `content-type` than `application/json`, or with an unknown encoding.',
    mend: 'Send JSON with `content-type: application/json`, in UTF-8, plain or with gzip, deflate or br.',
  },
  TURNWATCH_ERR_BODY_TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    cause: 'The body has more than 64 KiB, which no request of this API needs.',
    mend: 'Send less. Records belong to `/v1/logs`, which takes more.',
  },
  TURNWATCH_ERR_BAD_BODY: {
    status: 400,
    title: 'Bad body',
    cause: 'The body is no JSON, or lacks what is needed, or holds what is not known.',
    mend: 'The answer’s `errors` name every fault by its place; the schema is in `GET /openapi.json`.',
  },
  TURNWATCH_ERR_BAD_QUERY: {
    status: 400,
    title: 'Bad query',
    cause:
      'A parameter of the query is unknown or holds what it cannot. A mistyped filter would answer with everything.',
    mend: 'The answer’s `errors` name every fault, and the parameter that was probably meant.',
  },
  TURNWATCH_ERR_BAD_PATH: {
    status: 400,
    title: 'The path is no valid URI',
    cause: 'The path holds a `%` that begins no valid UTF-8.',
    mend: 'Encode ids with `encodeURIComponent` or its like.',
  },
  TURNWATCH_ERR_UNAUTHORIZED: {
    status: 401,
    title: 'A token is needed',
    cause: 'The detector has tokens configured, and the request carries none of them.',
    mend: 'Send `Authorization: Bearer TOKEN` with a token of `detector.tokens`.',
  },
  TURNWATCH_ERR_FORBIDDEN: {
    status: 403,
    title: 'Not for this token',
    cause: 'The token is known, but lacks the scope, or is bound to one parent and this is about others.',
    mend: 'Use a token with a scope that the answer names, or give this one more scopes in `detector.tokens`.',
  },
  TURNWATCH_ERR_TOO_MANY_REQUESTS: {
    status: 429,
    title: 'Too many requests',
    cause:
      'The token, or the address where there are no tokens, asked more than `detector.limits.requestsPerMinute` allows.',
    mend: 'Wait as long as `Retry-After` says. Use `GET /v1/events` with `wait` in the place of fast polling, or raise the limit.',
  },
  TURNWATCH_ERR_TOO_MANY_FAILURES: {
    status: 429,
    title: 'Too many wrong tokens',
    cause: 'The address sent more wrong tokens than `detector.limits.failedAuthenticationsPerMinute` allows.',
    mend: 'Mend the token of that client and wait as long as `Retry-After` says.',
  },
  TURNWATCH_ERR_FOREIGN_HOST: {
    status: 403,
    title: 'The detector is not known by this name',
    cause:
      'The header `Host` names neither this machine’s addresses nor a name that is configured. A web page could have pointed ' +
      'that name here (DNS rebinding).',
    mend: 'Add the name to `detector.listen.allowedHosts`, or set `detector.listen.publicUrl`, or address the detector by IP.',
  },
  TURNWATCH_ERR_FOREIGN_ORIGIN: {
    status: 403,
    title: 'Pages of other sites get nothing',
    cause: 'A browser sent the request for a page of another site (`Origin`, `Sec-Fetch-Site`).',
    mend:
      'Open the page of the detector itself. Behind a proxy under another name, add that name to ' +
      '`detector.listen.allowedHosts`, or set `detector.listen.publicUrl`.',
  },
  TURNWATCH_ERR_UNKNOWN_TURN: {
    status: 404,
    title: 'Unknown turn',
    cause:
      'No turn with this id was seen, or it settled longer ago than `detector.retention.settledTurnsMs`, or the token may not see it.',
    mend: 'Look for it with `GET /v1/turns`, and check that its agent sends to this detector.',
  },
  TURNWATCH_ERR_TURN_SETTLED: {
    status: 409,
    title: 'The turn has settled',
    cause: 'The turn has ended or expired; there is nothing to mute, to close or to judge any more.',
    mend: 'Nothing needs to be done.',
  },
  TURNWATCH_ERR_UNKNOWN_BASELINE: {
    status: 404,
    title: 'Nothing has been learned under this key',
    cause: 'No healthy turn has taught this key yet, or the key is misspelt or not encoded.',
    mend: 'Take the key from `GET /v1/baselines` and encode it with `encodeURIComponent`.',
  },
  TURNWATCH_ERR_UNKNOWN_GAP: {
    status: 404,
    title: 'The key holds no gap of this turn',
    cause:
      'The turn’s gap is not among the eight largest of the key, so it decides nothing, or it is not excluded.',
    mend: 'Take the turn from `largestGaps` or `excluded` of `GET /v1/baselines/:key`.',
  },
  TURNWATCH_ERR_CURSOR_GONE: {
    status: 410,
    title: 'The cursor is older than what is kept',
    cause:
      'Events after the cursor were dropped (`detector.retention`), or the cursor is of another database.',
    mend: 'Go on with the answer’s `oldestCursor`, and read `GET /v1/turns` for what was missed.',
  },
  TURNWATCH_ERR_FEED_FULL: {
    status: 503,
    title: 'Too many wait already',
    cause: 'More clients wait for events than the detector holds open, or it is stopping.',
    mend: 'Ask again as `Retry-After` says, or without `wait`.',
  },
  TURNWATCH_ERR_UNKNOWN_ENDPOINT: {
    status: 404,
    title: 'Unknown endpoint',
    cause: 'No endpoint has this id, or the token may not see it.',
    mend: 'Take the id from `GET /v1/endpoints`.',
  },
  TURNWATCH_ERR_ENDPOINT_REFUSED: {
    status: 400,
    title: 'The endpoint cannot be used so',
    cause: 'The address is not allowed (private, loopback, wrong scheme), or the secret is no valid one.',
    mend: 'Use a public https address, or allow the network with `detector.webhook.allowPrivate` or `allowLoopback`.',
  },
  TURNWATCH_ERR_ENDPOINT_EXISTS: {
    status: 409,
    title: 'The endpoint exists',
    cause: 'The id is taken by an endpoint with another address, or the address by one with another id.',
    mend: 'Register without an id, or remove the other endpoint first.',
  },
  TURNWATCH_ERR_ENDPOINT_READ_ONLY: {
    status: 409,
    title: 'The endpoint is of the configuration',
    cause: 'Endpoints that stand in the configuration are changed there only.',
    mend: 'Edit `detector.endpoints` and reload.',
  },
  TURNWATCH_ERR_ENDPOINT_DISABLED: {
    status: 409,
    title: 'The endpoint is disabled',
    cause: 'It answered 410, which says that it is gone; nothing is sent to it.',
    mend: '`POST /v1/endpoints/:id/enable`, or register it again.',
  },
  TURNWATCH_ERR_ENDPOINT_GONE: {
    status: 409,
    title: 'The endpoint was removed',
    cause: 'The delivery was for an endpoint that is not registered any more.',
    mend: 'Register it again under the same id, then replay.',
  },
  TURNWATCH_ERR_TOO_MANY_ENDPOINTS: {
    status: 409,
    title: 'Too many endpoints',
    cause: 'As many endpoints are registered as the detector keeps.',
    mend: 'Remove those that nobody uses: `DELETE /v1/endpoints/:id`.',
  },
  TURNWATCH_ERR_UNKNOWN_DELIVERY: {
    status: 404,
    title: 'Unknown delivery',
    cause: 'No delivery has this id, or it was dropped by `detector.retention`, or the token may not see it.',
    mend: 'Take the id from `GET /v1/deliveries`.',
  },
  TURNWATCH_ERR_NOT_DEAD: {
    status: 409,
    title: 'The delivery is no dead letter',
    cause:
      'Only what was given up is replayed; this one waits, was delivered, or a newer event made it worthless.',
    mend: 'Nothing needs to be done; `state` of the delivery says what it is.',
  },
  TURNWATCH_ERR_STORE_UNAVAILABLE: {
    status: 503,
    title: 'Nothing can be kept now',
    cause:
      'The database cannot be written: the disk is full, read-only or broken, or the detector is stopping.',
    mend: '`GET /healthz` says what is wrong with the store. Ask again as `Retry-After` says.',
  },
  TURNWATCH_ERR_INTERNAL: {
    status: 500,
    title: 'The detector failed to answer',
    cause: 'This is a fault of the detector.',
    mend: 'Its log has the error under the answer’s `requestId`; please report it.',
  },
};
