import type { GuardedAnswer, GuardedRequest, PluginHost, PluginLogger } from '../host.ts';

export interface TestHostOptions {
  /** Default `test`. */
  readonly id?: string;
  /** What `secret` finds. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Default: the global fetch, without any guard, so that a test's own server can be reached. */
  readonly fetch?: PluginHost['fetch'];
}

/** A host for the tests of a plugin: its log is a list, its timers run when the test says. */
export class TestHost implements PluginHost {
  readonly id: string;
  readonly lines: {
    readonly level: keyof PluginLogger;
    readonly fields: object;
    readonly message: string;
  }[] = [];
  readonly logger: PluginLogger;
  readonly fetch: PluginHost['fetch'];
  readonly #secrets: Readonly<Record<string, string>>;
  readonly #stopping = new AbortController();
  #nowMs = 0;
  #timers: { atMs: number; everyMs: number | undefined; work: () => void | Promise<void> }[] = [];

  constructor(options: TestHostOptions = {}) {
    this.id = options.id ?? 'test';
    this.#secrets = options.secrets ?? {};
    this.fetch = options.fetch ?? plainFetch;
    const line = (level: keyof PluginLogger) => (fields: object, message: string) =>
      void this.lines.push({ level, fields, message });
    this.logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  }

  get clock(): PluginHost['clock'] {
    return { wallMs: () => this.#nowMs, monoMs: () => this.#nowMs };
  }

  get timers(): PluginHost['timers'] {
    const add = (ms: number, everyMs: number | undefined, work: () => void | Promise<void>) => {
      const timer = { atMs: this.#nowMs + ms, everyMs, work };
      this.#timers.push(timer);
      return () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      };
    };
    return {
      after: (ms, work) => add(ms, undefined, work),
      every: (ms, work) => add(ms, ms, work),
    };
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  secret(variable: string): string {
    const value = this.#secrets[variable];
    if (value === undefined || value === '') throw new Error(`the variable ${variable} is not set`);
    return value;
  }

  /** Moves the clock on and runs what is due, in order. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const next = this.#timers
        .filter(({ atMs }) => atMs <= untilMs)
        .sort((one, other) => one.atMs - other.atMs)[0];
      if (next === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      if (next.everyMs === undefined) this.#timers = this.#timers.filter((other) => other !== next);
      else next.atMs += next.everyMs;
      await next.work();
    }
    this.#nowMs = untilMs;
  }

  stop(): void {
    this.#timers = [];
    this.#stopping.abort(new Error('the plugin stops'));
  }
}

async function plainFetch(url: string | URL, init: GuardedRequest = {}): Promise<GuardedAnswer> {
  const answer = await fetch(url, {
    method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    ...(init.headers === undefined ? {} : { headers: init.headers }),
    ...(init.body === undefined ? {} : { body: init.body }),
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}
