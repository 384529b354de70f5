import { isWebhookEvent, type WebhookEvent } from '@turnwatch/webhook/receive';
import { causeOf, jsonOf, plain } from '../detector-answer.ts';
import type { Target } from './target.ts';
import { isTurnState, type TurnState } from './turn-state.ts';

/** The detector cannot be reached or is not ready: try again. */
export class UnavailableError extends Error {
  readonly code = 'TURNWATCH_ERR_WAIT_UNAVAILABLE';
}

/** The feed no longer has what follows the cursor. */
export class CursorGoneError extends Error {
  /** Where the feed begins now. */
  readonly oldestCursor: string | undefined;
  constructor(message: string, oldestCursor: string | undefined) {
    super(message);
    this.oldestCursor = oldestCursor;
  }
}

/** The detector says no, and will say so again. Has a code, so that its message is shown without a stack. */
export class RefusedError extends Error {
  readonly code = 'TURNWATCH_ERR_WAIT_REFUSED';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface FeedPage {
  readonly events: readonly WebhookEvent[];
  readonly nextCursor: string;
  readonly more: boolean;
}

export interface FeedRequest {
  /** `latest`: from now on. */
  readonly after: string;
  readonly types: readonly string[];
  /** 0 to 60, whole. */
  readonly waitS: number;
  /** Ends the request. */
  readonly withinMs: number;
}

/** What the HTTP API of the detector says about a target. */
export class DetectorClient {
  readonly #base: URL;
  readonly #token: string | undefined;
  readonly #target: Target;

  constructor(base: URL, token: string | undefined, target: Target) {
    this.#base = base;
    this.#token = token;
    this.#target = target;
  }

  async feed({ after, types, waitS, withinMs }: FeedRequest): Promise<FeedPage> {
    const { kind, id } = this.#target;
    const body = await this.#get(
      '/v1/events',
      {
        after,
        wait: String(waitS),
        type: types.join(','),
        [kind]: id,
        // Who asks for one turn by its id is told of it, also where somebody else manages it.
        ...(kind === 'turn' ? { managed: 'true' } : {}),
      },
      withinMs,
    );
    const { events, nextCursor, more } = fieldsOf(body);
    if (!Array.isArray(events) || !events.every(isWebhookEvent) || typeof nextCursor !== 'string')
      throw this.#stranger();
    return { events, nextCursor, more: more === true };
  }

  /** The turn, or those of the parent; a turn that the detector does not know is none. */
  async turns(withinMs: number): Promise<readonly TurnState[]> {
    const { kind, id } = this.#target;
    if (kind === 'turn') {
      const turn = await this.#get(`/v1/turns/${encodeURIComponent(id)}`, {}, withinMs);
      if (turn === undefined) return [];
      if (!isTurnState(turn)) throw this.#stranger();
      return [turn];
    }
    const all: TurnState[] = [];
    let cursor: string | undefined;
    do {
      const page = fieldsOf(
        await this.#get(
          '/v1/turns',
          { parent: id, limit: '1000', ...(cursor === undefined ? {} : { cursor }) },
          withinMs,
        ),
      );
      if (!Array.isArray(page.turns) || !page.turns.every(isTurnState)) throw this.#stranger();
      all.push(...page.turns);
      cursor = typeof page.nextCursor === 'string' ? page.nextCursor : undefined;
    } while (cursor !== undefined);
    return all.filter(({ managedBy }) => managedBy === null);
  }

  /** Where people and agents look a turn up. */
  link(turn: string): string {
    return this.#url(`/v1/turns/${encodeURIComponent(turn)}`).href;
  }

  async #get(path: string, query: Readonly<Record<string, string>>, withinMs: number): Promise<unknown> {
    const url = this.#url(path);
    url.search = new URLSearchParams(query).toString();
    let status: number;
    let body: unknown;
    try {
      const response = await fetch(url, {
        headers: {
          accept: 'application/json',
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        },
        signal: AbortSignal.timeout(Math.max(1, Math.ceil(withinMs))),
      });
      status = response.status;
      body = jsonOf(await response.text());
    } catch (error) {
      throw new UnavailableError(`${this.#base.origin} cannot be reached: ${causeOf(error)}`, {
        cause: error,
      });
    }
    if (status === 200) return body;
    return this.#refusal(path, status, fieldsOf(body));
  }

  #refusal(path: string, status: number, { code, detail, oldestCursor }: Fields): undefined {
    const why = typeof detail === 'string' ? `: ${plain(detail)}` : '';
    const said = `${this.#base.origin} answered ${status}${why}`;
    if (status === 404 && code === 'TURNWATCH_ERR_UNKNOWN_TURN') return undefined;
    if (status === 429 || status >= 500) throw new UnavailableError(said);
    if (status === 410)
      throw new CursorGoneError(said, typeof oldestCursor === 'string' ? oldestCursor : undefined);
    if (status === 401) throw new RefusedError(status, `${said} Give one by --token or TURNWATCH_API_TOKEN.`);
    if (status === 404)
      throw new RefusedError(
        status,
        `${this.#base.origin} has no ${path}: is --detector a Turnwatch detector, not older than this command?`,
      );
    throw new RefusedError(status, said);
  }

  #stranger(): RefusedError {
    return new RefusedError(
      200,
      `${this.#base.origin} answers, but not as a Turnwatch detector does: check --detector`,
    );
  }

  #url(path: string): URL {
    const url = new URL(this.#base);
    url.pathname = url.pathname.replace(/\/+$/, '') + path;
    return url;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(body: unknown): Fields {
  return typeof body === 'object' && body !== null ? (body as Fields) : {};
}
