import { Worker } from 'node:worker_threads';
import { processTimers } from '../process-clock.ts';
import type { ProducerClock } from '../producer/awake-clock.ts';
import type { Happening, Signal, TurnSignal } from '../producer/signal.ts';
import { LaneClock } from './lane-clock.ts';
import { lettersOf } from './letters.ts';
import { Mailbox } from './mailbox.ts';
import type { FromWorker, LaneStart, ProcessBeat, ToWorker } from './message.ts';
import { SharedCell } from './shared-cell.ts';
import type { LaneTarget } from './target.ts';

export interface LaneOptions {
  readonly target: LaneTarget;
  readonly clock: ProducerClock;
  readonly service: string | undefined;
  /** Default: none. */
  readonly resource?: Readonly<Record<string, string>> | undefined;
  /** The first failure after a success, not each. */
  onOutage(reason: string): void;
  /** The worker has died and nothing more goes this way. */
  onLost(reason: unknown, lastSeq: number): void;
}

const flushMs = 1500;
/** While the collector is away, the exit of a process does not wait for it. */
const flushInOutageMs = 250;

/** After these an agent may hold up its own thread (a tool that runs a program and waits): they are told before it does. */
const beforeSilence: ReadonlySet<Happening['name']> = new Set([
  'started',
  'tool_started',
  'waiting',
  'step',
  'ended',
]);

/**
 * The heartbeat's own way out: a worker thread with an exporter of its own. A hanging collector blocks the standard batch
 * processor for 10 s and a 500 drops its batch; a blocked main loop beats not at all. Neither holds up the worker.
 */
export class Lane {
  readonly clock: LaneClock;
  readonly #worker: Worker;
  readonly #cell: SharedCell;
  readonly #mailbox: Mailbox<ToWorker>;
  readonly #monoMs: () => number;
  readonly #waiting: Map<number, () => void> = new Map();
  #ticket = 0;
  #alive = true;
  #resting = true;

  /** @throws where no worker thread can be had: the permission model forbids it, or the file is not there. */
  constructor(options: LaneOptions) {
    this.#cell = new SharedCell();
    this.#monoMs = options.clock.monoMs;
    this.clock = new LaneClock(options.clock, this.#cell);
    const start: LaneStart = {
      buffer: this.#cell.buffer,
      target: options.target,
      service: options.service,
      resource: options.resource ?? {},
    };
    const file = workerFile(import.meta.url);
    this.#worker = new Worker(file, {
      name: 'turnwatch-lane',
      workerData: start,
      // Nothing of the agent's own start-up is loaded a second time, least of all what --import names.
      execArgv: process.execArgv.filter((flag) => isSource(file) && flag.startsWith('--conditions=')),
      env: tlsEnv(process.env),
    });
    let reason: unknown;
    this.#worker.on('error', (error) => {
      reason = error;
    });
    this.#worker.on('exit', () => {
      this.#alive = false;
      this.clock.goOnAlone();
      for (const done of this.#waiting.values()) done();
      this.#waiting.clear();
      options.onLost(reason, this.#cell.seq);
    });
    this.#worker.on('message', (message: FromWorker) => {
      if (message.type === 'outage') options.onOutage(message.reason);
      else this.#waiting.get(message.ticket)?.();
    });
    this.#mailbox = new Mailbox({
      timers: processTimers,
      monoMs: this.#monoMs,
      post: (mail) => this.#worker.postMessage(lettersOf(mail)),
    });
    // Last: each listener refs the thread again.
    this.#worker.unref();
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** A record that goes out at once, four requests a second at most. */
  send(signal: Signal, spanId: string | undefined): void {
    this.#resting = false;
    this.#mailbox.put({ type: 'news', signal, spanId });
    if (signal.type === 'process' || (signal.type === 'turn' && beforeSilence.has(signal.happening.name)))
      this.#mailbox.post();
  }

  /** The records of one heartbeat. */
  beat(signals: readonly Signal[]): void {
    this.#resting = false;
    let process: ProcessBeat | undefined;
    const turns: TurnSignal[] = [];
    const rest: Signal[] = [];
    for (const signal of signals) {
      if (signal.type === 'turn') turns.push(signal);
      else if (signal.type === 'process' && signal.name === 'heartbeat') process = signal;
      else rest.push(signal);
    }
    if (process !== undefined) this.#mailbox.put({ type: 'beat', process, turns });
    for (const signal of rest) this.send(signal, undefined);
  }

  /** Nothing is open. */
  rest(): void {
    if (this.#resting) return;
    this.#resting = true;
    this.#mailbox.put({ type: 'idle' });
  }

  /** Whether the main thread beats from now on: where it does not mean to, its silence is no block. */
  set beating(is: boolean) {
    this.#cell.beating = is;
  }

  /** Sends all that is pending; takes 1.5 s at most and keeps the process alive meanwhile. Never rejects. */
  async flush(): Promise<void> {
    if (!this.#alive) return;
    const ticket = ++this.#ticket;
    this.#worker.ref();
    await new Promise<void>((resolve) => {
      this.#waiting.set(ticket, resolve);
      this.#mailbox.put({ type: 'flush', ticket, maxMs: this.#patienceMs });
      this.#mailbox.post();
    });
    this.#waiting.delete(ticket);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  /** As {@link flush}, but blocks this thread: at an exit there is no later. */
  flushNow(): void {
    if (!this.#alive) return;
    const ticket = ++this.#ticket;
    const maxMs = this.#patienceMs;
    this.#mailbox.put({ type: 'flush', ticket, maxMs });
    this.#mailbox.post();
    this.#cell.waitFlushed(ticket, maxMs, this.#monoMs);
  }

  get #patienceMs(): number {
    return this.#cell.failing ? flushInOutageMs : flushMs;
  }
}

/** Beside this file's folder, in the sources as in the built package. */
function workerFile(here: string): URL {
  return new URL(`../lane/worker.${/\.ts(\?|$)/.test(here) ? 'ts' : 'js'}`, here);
}

function isSource(file: URL): boolean {
  return file.pathname.endsWith('.ts');
}

/** Of the environment the worker needs only what Node's TLS reads from it. */
function tlsEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_TLS_REJECT_UNAUTHORIZED, NODE_EXTRA_CA_CERTS } = env;
  return {
    ...(NODE_TLS_REJECT_UNAUTHORIZED === undefined ? {} : { NODE_TLS_REJECT_UNAUTHORIZED }),
    ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }),
  };
}
