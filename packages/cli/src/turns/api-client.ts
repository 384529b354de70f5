import { quoted } from '@turnwatch/webhook/sinks';
import { causeOf, jsonOf, plain } from '../detector-answer.ts';
import { detectorUrl } from '../detector-url.ts';

const withinMs = 15_000;

/** The detector cannot be reached, or cannot answer now. */
class ApiUnavailableError extends Error {
  readonly code = 'TURNWATCH_ERR_API_UNAVAILABLE';
}

/** The detector says no; the message is what it said and how to mend it. */
class ApiRefusedError extends Error {
  readonly code = 'TURNWATCH_ERR_API_REFUSED';
}

/** The HTTP API of a detector, for commands. */
export class ApiClient {
  readonly #base: URL;
  readonly #token: string | undefined;

  /** @throws UsageError where the address is none */
  constructor(
    flags: { readonly detector?: string; readonly token?: string },
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.#base = detectorUrl(flags.detector, environment);
    this.#token = flags.token ?? (environment.TURNWATCH_API_TOKEN || undefined);
  }

  /** @throws {ApiUnavailableError} @throws {ApiRefusedError} */
  async call(
    method: 'GET' | 'POST',
    path: string,
    given: { readonly query?: Readonly<Record<string, string>>; readonly body?: object } = {},
  ): Promise<unknown> {
    const url = new URL(this.#base);
    url.pathname = url.pathname.replace(/\/+$/, '') + path;
    url.search = new URLSearchParams(given.query).toString();
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        },
        ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
        signal: AbortSignal.timeout(withinMs),
      });
      text = await response.text();
    } catch (error) {
      throw new ApiUnavailableError(
        `${this.#base.origin} cannot be reached (${causeOf(error)}); is the detector running, and --detector right?`,
        { cause: error },
      );
    }
    const body = jsonOf(text);
    if (response.ok && body !== undefined) return body;
    throw this.#refusal(response.status, body);
  }

  #refusal(status: number, body: unknown): Error {
    const { detail, code } = (body ?? {}) as { detail?: unknown; code?: unknown };
    if (typeof detail !== 'string' || typeof code !== 'string')
      return new ApiRefusedError(
        `${this.#base.origin} answered ${status}, but not as a Turnwatch detector does: check --detector`,
      );
    const mend = status === 401 ? ' Give one by --token or TURNWATCH_API_TOKEN.' : '';
    const message = `${this.#base.origin} answered ${status} (${code}): ${plain(detail)}${mend}`;
    return status === 429 || status >= 500 ? new ApiUnavailableError(message) : new ApiRefusedError(message);
  }
}

/** What comes from an agent may hold anything; on a terminal it is quoted, on one line. */
export function shown(text: string | null): string {
  return text === null ? '-' : /^[\w.:@/+~-][\w.:@/+~#-]*$/.test(text) ? text : quoted(text);
}
