import { HttpLine, type PostLine } from '@turnwatch/webhook/send';
import type { Clocks, Timers } from '../clocks.ts';
import type { DeadmanConfig } from '../config/shape.ts';
import type { Logger } from '../logger.ts';

export interface DeadmanOptions {
  readonly clocks: Clocks;
  readonly after: Timers['after'];
  /** Names this detector in the body of a ping. */
  readonly source: string;
  readonly logger: Logger;
  readonly onPing: (outcome: 'ok' | 'failed') => void;
}

interface Armed {
  readonly config: DeadmanConfig;
  readonly healthy: PostLine;
  readonly failing: PostLine;
}

/**
 * Pings a service as healthchecks.io while the detector works, so that somebody else raises the alarm when it is gone with
 * its host. While it does not work `/fail` is pinged, which raises the alarm at once. A ping that fails changes nothing here.
 */
export class Deadman {
  readonly #options: DeadmanOptions;
  #armed: Armed | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #lastOk = true;
  #inFlight = false;
  #failures = 0;

  constructor(options: DeadmanOptions) {
    this.#options = options;
  }

  /** From here on this service is pinged, or none. */
  arm(config: DeadmanConfig | undefined): void {
    if (JSON.stringify(config) === JSON.stringify(this.#armed?.config)) return;
    this.close();
    this.#lastMs = Number.NEGATIVE_INFINITY;
    if (config === undefined) return;
    this.#armed = { config, healthy: this.#line(config, ''), failing: this.#line(config, '/fail') };
  }

  /** Once a second. @param faults what does not work, in words; none: everything does */
  tick(faults: readonly string[]): void {
    const armed = this.#armed;
    if (armed === undefined || this.#inFlight) return;
    const nowMs = this.#options.clocks.monoMs();
    const ok = faults.length === 0;
    // A change is told at once.
    if (ok === this.#lastOk && nowMs - this.#lastMs < armed.config.intervalMs) return;
    this.#lastMs = nowMs;
    this.#lastOk = ok;
    this.#inFlight = true;
    void this.#ping(armed, faults).finally(() => {
      this.#inFlight = false;
    });
  }

  close(): void {
    this.#armed?.healthy.close();
    this.#armed?.failing.close();
    this.#armed = undefined;
  }

  async #ping({ config, healthy, failing }: Armed, faults: readonly string[]): Promise<void> {
    const line = faults.length === 0 ? healthy : failing;
    const text = faults.length === 0 ? 'works' : `does not work: ${faults.join(', ')}`;
    try {
      const { status } = await line.post({
        headers: { 'content-type': 'text/plain', 'user-agent': 'turnwatch' },
        body: `turnwatch ${this.#options.source} ${text}\n`,
        timeoutMs: config.timeoutMs,
      });
      if (status < 200 || status > 299) throw new Error(`it was answered ${status}`);
      if (this.#failures > 0)
        this.#options.logger.info({ failures: this.#failures }, "the dead-man's switch is reached again");
      this.#failures = 0;
      this.#options.onPing('ok');
    } catch (error) {
      // Once: its own alarm says the rest. The message of an error names the host at most, never the address.
      if (this.#failures === 0)
        this.#options.logger.warn(
          { err: error },
          "the dead-man's switch could not be pinged; it is tried on",
        );
      this.#failures++;
      this.#options.onPing('failed');
    }
  }

  /** Guarded as webhooks are, at parse and at connect: the address may come from a variable that somebody else sets. */
  #line(config: DeadmanConfig, suffix: string): PostLine {
    const url = new URL(config.url);
    if (suffix !== '') url.pathname = url.pathname.replace(/\/$/, '') + suffix;
    const { clocks, after } = this.#options;
    const { allowLoopback = false, allowPrivate = [] } = config;
    return new HttpLine(
      { id: 'deadman', url: url.href, secrets: [], allowLoopback, allowPrivate },
      { nowMs: () => clocks.wallMs(), setTimer: (work, ms) => after(ms, work) },
    );
  }
}
