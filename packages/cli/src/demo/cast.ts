import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import { ListenError, type Logger, loadConfig, type Served, serve } from '@turnwatch/detector';
import { ScriptedProvider } from '@turnwatch/testing/provider';
import { DemoChild } from './child.ts';
import type { Message } from './message.ts';
import type { Place } from './show.ts';
import { demoPolicyInput, parentName, story } from './story.ts';

export interface CastOptions {
  /** Undefined: the usual port, or any free one where that is taken. */
  readonly port: number | undefined;
  readonly onEvent: (event: TurnEvent | SourceSilentEvent) => void;
  readonly onMessage: (message: Message) => void;
  /** A process of the demo ended by itself. */
  readonly onLost: (why: string) => void;
}

const usualPort = 4318;
const ignore = (): void => undefined;

/** Everybody in the demo: the detector and the provider in this process, the agents in processes of their own. */
export class Cast {
  /** What the detector complained about. */
  readonly complaints: string[] = [];
  readonly #options: CastOptions;
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'turnwatch-demo-'));
  readonly #children = new Map<string, DemoChild>();
  #provider: ScriptedProvider | undefined;
  #detector: Served | undefined;
  #started: Promise<void> | undefined;
  #stopped = false;

  constructor(options: CastOptions) {
    this.#options = options;
  }

  /** Starts everybody. @throws Error, ListenError; call {@link stop} then too */
  start(): Promise<Place> {
    const starting = this.#start();
    this.#started = starting.then(ignore, ignore);
    return starting;
  }

  /** The workers start their turns. */
  begin(): void {
    for (const [name, child] of this.#children) if (name !== 'parent') child.send({ kind: 'begin' });
  }

  pidOf(name: string): number | undefined {
    return this.#children.get(name)?.pid;
  }

  async kill(name: string): Promise<void> {
    await this.#children.get(name)?.kill();
    this.#children.delete(name);
  }

  /** Ends everybody and removes the folder. Resolves when nothing is left. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#children.values()].map((child) => child.kill()));
    await this.#started;
    await this.#provider?.close();
    await this.#detector?.stop();
    this.#removeFolder();
  }

  /** For the last moment of this process, when nothing can be waited for. */
  stopNow(): void {
    for (const child of this.#children.values()) void child.kill();
    this.#removeFolder();
  }

  async #start(): Promise<Place> {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const provider = await ScriptedProvider.start({
      script: ({ prompt }) => story.find(({ name }) => name === prompt)?.script ?? [],
    });
    this.#provider = provider;
    const parent = await this.#child('parent', 'parent', [], { TURNWATCH_WEBHOOK_SECRET: secret });
    const { served, portTaken } = await this.#serve(parent, secret);
    this.#detector = served;
    const workers = ['worker-1', 'worker-2'];
    await Promise.all(
      workers.map((name) => this.#child('worker', name, [name, served.url, provider.url], {})),
    );
    return {
      detector: served.url,
      database: this.#folder,
      provider: provider.url,
      parent,
      pids: Object.fromEntries([...this.#children].map(([name, { pid }]) => [name, pid])),
      ...(portTaken === undefined ? {} : { portTaken }),
    };
  }

  /** @returns the URL it listens on, if it does */
  async #child(
    file: 'worker' | 'parent',
    name: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string> {
    if (this.#stopped) throw new Error('the demo is over');
    const { onMessage, onLost } = this.#options;
    const child = new DemoChild(file, name, { args, env, onMessage, onLost });
    this.#children.set(name, child);
    return (await child.ready).url ?? '';
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #serve(parentUrl: string, secret: string): Promise<{ served: Served; portTaken?: number }> {
    const { port } = this.#options;
    try {
      return { served: await this.#serveAt(port ?? usualPort, parentUrl, secret) };
    } catch (error) {
      if (port !== undefined || !(error instanceof ListenError) || error.code !== 'EADDRINUSE') throw error;
      return { served: await this.#serveAt(0, parentUrl, secret), portTaken: usualPort };
    }
  }

  #serveAt(port: number, parentUrl: string, secret: string): Promise<Served> {
    // Neither a file nor the environment: the demo is the same on every machine.
    const { config } = loadConfig({
      flags: {
        listen: { port },
        store: { file: join(this.#folder, 'turnwatch.db') },
        policy: demoPolicyInput,
        endpoints: [{ id: parentName, url: parentUrl, secret, match: { parent: parentName } }],
        source: 'demo',
      },
    });
    return serve(config, { logger: this.#logger(), handleSignals: false, onEvent: this.#options.onEvent });
  }

  #logger(): Logger {
    const complain = (fields: object, message: string): void => {
      const error = 'err' in fields && fields.err instanceof Error ? `: ${fields.err.message}` : '';
      const why = 'why' in fields ? `: ${String(fields.why)}` : '';
      this.complaints.push(`${message}${error}${why}`);
    };
    return { debug: ignore, info: ignore, warn: complain, error: complain };
  }
}
