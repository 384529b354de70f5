import { forgetToken, knownToken } from './token.ts';

/** The detector refused a request; the message is its own. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A request to the detector that served this page, with the token of this tab. @throws ApiError */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const token = knownToken();
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const response = await fetch(path, { ...init, headers, credentials: 'omit', cache: 'no-store' });
  if (response.ok) return response;
  if (response.status === 401 && token !== undefined) forgetToken();
  throw await errorOf(response);
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const init = signal === undefined ? {} : { signal };
  return (await call(path, { ...init, headers: { accept: 'application/json' } })).json() as Promise<T>;
}

export async function postJson(path: string, body: unknown): Promise<void> {
  await call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function errorOf(response: Response): Promise<ApiError> {
  let problem: { code?: unknown; detail?: unknown; title?: unknown } = {};
  try {
    problem = (await response.json()) as typeof problem;
  } catch {
    // A proxy in between answered; its status is all there is.
  }
  const detail = typeof problem.detail === 'string' ? problem.detail : problem.title;
  return new ApiError(
    response.status,
    typeof problem.code === 'string' ? problem.code : '',
    typeof detail === 'string' ? detail : `The detector answered ${response.status}.`,
  );
}
