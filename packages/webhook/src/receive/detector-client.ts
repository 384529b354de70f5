/** Where the detector is, and what it knows this agent by. */
export interface DetectorAddress {
  /** Base address, `http://127.0.0.1:4318`. */
  readonly detector: string;
  /** A token with the scope `subscribe`. Without tokens in the detector's configuration none is needed. */
  readonly token?: string;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

/** Thrown when the detector refuses. `code` is stable (`TURNWATCH_ERR_...`); the message says how to mend it. */
export class DetectorError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  /** The whole answer where it was JSON. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(what: string, status: number, problem: Readonly<Record<string, unknown>>) {
    const detail = typeof problem.detail === 'string' ? problem.detail : 'no reason was given';
    super(`the detector answered ${status} to ${what}: ${detail}`);
    this.name = 'DetectorError';
    this.status = status;
    this.code = typeof problem.code === 'string' ? problem.code : undefined;
    this.problem = problem;
  }
}

const timeoutMs = 10_000;

/**
 * One request to the detector's API; gives the answer's JSON, {} where there is none.
 * @throws DetectorError for anything but 2xx
 */
export async function callDetector(
  { detector, token, fetch: send = fetch }: DetectorAddress,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await send(new URL(path, detector.endsWith('/') ? detector : `${detector}/`), {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A token must not be carried to another host.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.includes('json') === true;
  const answer = isJson ? parse(text) : {};
  if (!response.ok)
    throw new DetectorError(`${method} ${path.replace(/\?.*$/, '')}`, response.status, answer);
  return answer;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  const answer: unknown = JSON.parse(text);
  return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
}
