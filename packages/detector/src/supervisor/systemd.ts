import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from '../config/environment.ts';
import type { Logger } from '../logger.ts';

// Node has no datagram sockets of the kind that systemd listens on, and an addon for four messages is one more thing to
// break. systemd-notify is there wherever systemd is. One small shell stays and starts it for each message: starting it from
// here would copy this process's page tables each time.
const relay =
  'command -v systemd-notify >/dev/null || exit 127; while IFS= read -r line; do systemd-notify $line; done';

export interface SystemdOptions {
  readonly environment: Environment;
  readonly monoMs: () => number;
  readonly logger: Logger;
}

/** Tells systemd how the service stands (`Type=notify`, `NotifyAccess=all`, `WatchdogSec=`). Silent where nobody asked. */
export class Systemd {
  readonly #options: SystemdOptions;
  readonly #child: ChildProcess | undefined;
  /** Half of what systemd waits for; undefined: it waits for nothing. */
  readonly #everyMs: number | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(options: SystemdOptions) {
    this.#options = options;
    const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID, PATH } = options.environment;
    if (NOTIFY_SOCKET === undefined || NOTIFY_SOCKET === '') return;
    const forUs = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid);
    const watchdogMs = Number(WATCHDOG_USEC) / 1000;
    if (forUs && watchdogMs > 0) this.#everyMs = watchdogMs / 2;
    this.#child = spawn('/bin/sh', ['-c', relay], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // Nothing else of the environment: there are secrets in it.
      env: { NOTIFY_SOCKET, PATH: PATH ?? '/usr/local/bin:/usr/bin:/bin' },
    });
    this.#child.once('error', (error) => this.#cannot(error.message));
    this.#child.once('exit', (code) => {
      if (code === 127) this.#cannot('systemd-notify is not installed');
    });
    // Its end is told above; a message that finds it gone has nobody to go to.
    this.#child.stdin?.on('error', (error) => options.logger.debug({ err: error }, 'systemd was not told'));
    this.#child.unref();
  }

  ready(): void {
    this.#say('READY=1');
  }

  reloading(): void {
    // CLOCK_MONOTONIC, which is what monoMs reads.
    this.#say(`RELOADING=1 MONOTONIC_USEC=${Math.round(this.#options.monoMs() * 1000)}`);
  }

  stopping(): void {
    this.#say('STOPPING=1');
  }

  /** A tick has succeeded: the only sign of life that counts. systemd hears of every second that is due. */
  alive(): void {
    if (this.#everyMs === undefined) return;
    const nowMs = this.#options.monoMs();
    // A tick early rather than a tick late.
    if (nowMs - this.#lastMs < this.#everyMs - 1000) return;
    this.#lastMs = nowMs;
    this.#say('WATCHDOG=1');
  }

  close(): void {
    this.#child?.stdin?.end();
  }

  #say(message: string): void {
    const into = this.#child?.stdin;
    if (into?.writable === true) into.write(`${message}\n`);
  }

  #cannot(why: string): void {
    this.#options.logger.error(
      { why },
      'systemd waits for word from this service and cannot be told; install systemd-notify or use Type=exec without WatchdogSec',
    );
  }
}
