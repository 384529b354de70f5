import type { DetectorConfig } from '../config/shape.ts';
import type { Logger } from '../logger.ts';
import { withoutUrlSecrets } from './plain-url.ts';

const secretKey =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|secrets?|bearer|token|api[-_]?key|x-api-key|signature|webhook-signature|sha256)$/i;
const hidden = '(secret)';
const maxText = 2000;
const maxDepth = 6;
const maxEntries = 100;
const stackLines = 12;

/**
 * Takes secrets out of what is logged: by their names, by their looks, and those of the configuration wherever they stand,
 * also in the message of an error that somebody else wrote.
 */
export class Redactor {
  #known: readonly string[] = [];

  /** From here on the secrets of this configuration are known as well; those before stay secrets, after a reload too. */
  know({ endpoints, canary, deadman }: Pick<DetectorConfig, 'endpoints' | 'canary' | 'deadman'>): void {
    const secrets = [
      ...endpoints.flatMap(({ secrets: own, bearer }) => [...own, ...(bearer === undefined ? [] : [bearer])]),
      ...canary.routes.flatMap(({ headers }) =>
        Object.values(headers).map((value) => value.replace(/^Bearer /, '')),
      ),
      ...(deadman === undefined ? [] : [deadman.url, new URL(deadman.url).pathname.slice(1)]),
    ];
    // Shorter ones would black out ordinary words; longer ones first, so that none is left in pieces.
    this.#known = [...new Set([...this.#known, ...secrets])]
      .filter(({ length }) => length >= 6)
      .sort((a, b) => b.length - a.length);
  }

  text(given: string): string {
    let text = given.length > maxText ? `${given.slice(0, maxText)}…` : given;
    for (const secret of this.#known) text = text.replaceAll(secret, hidden);
    return withoutUrlSecrets(text)
      .replace(/\b(wh(?:sec|sk|pk))_[A-Za-z0-9+/=_-]{8,}/g, '$1_[…]')
      .replace(/\b(bearer|basic)(\s+|%20)[^\s"',;]{6,}/gi, '$1 […]')
      .replace(
        /\b((?:api[-_]?key|access[-_]?token|token|password|secret)["']?\s*[=:]\s*["']?)[^\s"'&,;]{4,}/gi,
        '$1[…]',
      );
  }

  fields(given: object): object {
    return this.#clean(given, 0) as object;
  }

  /** A logger that is told everything, and passes on what may be read. */
  over(logger: Logger): Logger {
    const say =
      (level: keyof Logger) =>
      (fields: object, message: string): void =>
        logger[level](this.fields(fields), this.text(message));
    return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  }

  #clean(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
    if (depth >= maxDepth) return '[…]';
    if (value instanceof Error) return this.#error(value, depth);
    if (value instanceof Date) return value;
    // Bodies of requests and answers, whatever is in them.
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => this.#clean(entry, depth + 1));
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return Object.fromEntries(
      entries
        .slice(0, maxEntries)
        .map(([key, inner]) => [
          key,
          secretKey.test(String(key)) && inner !== undefined ? hidden : this.#clean(inner, depth + 1),
        ]),
    );
  }

  /** What helps to find the fault. Other fields of an error may hold a whole request with its headers. */
  #error(error: Error, depth: number): object {
    const { code, status } = error as { readonly code?: unknown; readonly status?: unknown };
    const stack = error.stack?.split('\n').slice(1, stackLines).join('\n');
    return {
      type: error.name,
      message: this.text(error.message),
      ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
      ...(typeof status === 'number' ? { status } : {}),
      ...(stack === undefined ? {} : { stack: this.text(stack) }),
      ...(error.cause === undefined ? {} : { cause: this.#clean(error.cause, depth + 2) }),
    };
  }
}
