import type { EngineReading } from '@turnwatch/plugin';
import type { EngineAccess } from './engine-access.ts';
import { type EngineOptions, engineName } from './engine-options.ts';
import { PollFloor } from './poll-floor.ts';

/** An answer that says nothing of the engine's work. Thrown by a look, so that it is no evidence. */
export class EngineAnswerError extends Error {
  override readonly name = 'EngineAnswerError';
  readonly code = 'TURNWATCH_ERR_ENGINE_ANSWER';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const floor = new PollFloor<EngineReading>();
const maxBytes = 8 * 1024 * 1024;

/** Asks one engine. */
export class EngineClient {
  readonly name: string;
  readonly #base: string;
  readonly #access: EngineAccess;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: EngineOptions, access: EngineAccess) {
    this.name = engineName(options);
    this.#base = options.url.replace(/\/+$/, '');
    this.#access = access;
    this.#headers =
      options.tokenEnv === undefined ? {} : { authorization: `Bearer ${access.secret(options.tokenEnv)}` };
  }

  /** One look, or what the last one within `floorMs` showed. */
  look(kind: string, floorMs: number, look: () => Promise<EngineReading>): Promise<EngineReading> {
    return floor.look(`${kind} ${this.#base}`, floorMs, this.#access.clock.monoMs(), look);
  }

  /** @throws where nobody answers; any status is an answer */
  ask(path: string, signal: AbortSignal): ReturnType<EngineAccess['fetch']> {
    return this.#access.fetch(`${this.#base}${path}`, { headers: this.#headers, signal, maxBytes });
  }

  /** @throws EngineAnswerError for every status but 200 */
  async text(path: string, signal: AbortSignal): Promise<string> {
    const { status, body } = await this.ask(path, signal);
    if (status === 200) return body;
    const why = status === 401 || status === 403 ? '; it wants a token: name its variable in tokenEnv' : '';
    throw new EngineAnswerError(status, `${this.#base}${path} answered ${status}${why}`);
  }

  /** @throws EngineAnswerError for what is no JSON */
  async json(path: string, signal: AbortSignal): Promise<unknown> {
    const text = await this.text(path, signal);
    try {
      return JSON.parse(text);
    } catch {
      throw new EngineAnswerError(200, `${this.#base}${path} answered with something that is no JSON`);
    }
  }
}
