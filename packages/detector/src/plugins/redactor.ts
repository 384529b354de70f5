/** Shorter ones would blank out ordinary words. */
const shortestSecret = 6;
const blank = '[secret]';

/** Takes the secrets that a plugin has looked up out of everything that it writes. */
export class Redactor {
  readonly #secrets = new Set<string>();

  add(secret: string): void {
    if (secret.length < shortestSecret) return;
    this.#secrets.add(secret);
    // An address that is a secret is often told without its scheme and host, or percent-encoded.
    if (URL.canParse(secret)) {
      const { pathname, search } = new URL(secret);
      for (const part of [pathname, search]) if (part.length >= shortestSecret) this.#secrets.add(part);
    }
  }

  text(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, blank);
    return clean;
  }

  /** A copy of log fields; an error becomes its name, message and stack. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
    if (depth > 4) return '[deep]';
    if (value instanceof Error)
      return {
        type: value.name,
        message: this.text(value.message),
        stack: this.text(value.stack ?? ''),
        ...('code' in value ? { code: this.value(value.code, depth + 1) } : {}),
      };
    if (Array.isArray(value)) return value.slice(0, 100).map((item) => this.value(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value)
        .slice(0, 100)
        .map(([key, inner]) => [key, this.value(inner, depth + 1)]),
    );
  }
}
