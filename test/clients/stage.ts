import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelRequest, type Script, ScriptedProvider } from '@turnwatch/testing/provider';
import { WebhookSink } from '@turnwatch/testing/webhook-sink';
import { Child } from '../llama/children.ts';
import { scratchFolder } from '../script/scratch-folder.ts';
import type { Client } from './client.ts';
import { Moments, noted } from './moments.ts';
import { policy } from './policy.ts';

/** An event as an endpoint was told it, and when. */
export interface Told {
  readonly atMs: number;
  readonly type: string;
  readonly turn: string;
  readonly model: string | null;
  readonly conversationId: string | null;
  readonly stale:
    | {
        readonly reason: string;
        readonly phase: string;
        readonly thresholdMs: number;
        readonly precision: string;
      }
    | undefined;
}

export interface TurnState {
  readonly attempt: number;
  readonly model: string | null;
  readonly conversationId: string | null;
  readonly state: string;
  readonly outcome: string | null;
}

/** All that stands around one client: a scripted model, a real detector, a real tap, and whoever is told. */
export class Stage {
  readonly moments: Moments;
  readonly told: Told[] = [];
  readonly scratch: string;
  #removeScratch: () => void;
  #scripts: Map<string, (request: ModelRequest) => Script> = new Map();
  #waiting: (() => void)[] = [];
  #client: Client;
  #provider: ScriptedProvider | undefined;
  #sink: WebhookSink | undefined;
  #children: Child[] = [];
  #left: (() => Promise<void>)[] = [];
  #detector = '';
  #tap = '';
  #attendedTap = '';

  private constructor(client: Client) {
    this.#client = client;
    this.moments = new Moments();
    [this.scratch, this.#removeScratch] = scratchFolder('turnwatch-clients-');
  }

  /** @param port of the detector; 0: any that is free */
  static async set(client: Client, port = 0): Promise<Stage> {
    const stage = new Stage(client);
    try {
      await stage.#set(port);
      return stage;
    } catch (error) {
      await stage.strike();
      throw error;
    }
  }

  /** Of its receiver and its API. */
  get detector(): string {
    return this.#detector;
  }

  get tap(): string {
    return this.#tap;
  }

  /** One that knows of people before its clients. */
  get attendedTap(): string {
    return this.#attendedTap;
  }

  get provider(): string {
    return this.#provider?.url ?? '';
  }

  /** What is answered to the turn's own requests for this model, one after another. */
  play(model: string, script: (request: ModelRequest) => Script): void {
    this.#scripts.set(model, script);
  }

  /** Resolves when something has been told that fits, or after so long. */
  async hears(fits: (told: Told) => boolean, withinMs: number): Promise<void> {
    const late = AbortSignal.timeout(withinMs);
    while (!this.told.some(fits) && !late.aborted)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        late.addEventListener('abort', () => resolve(), { once: true });
      });
  }

  /** Oldest first. */
  async turns(isRight: (turn: TurnState) => boolean): Promise<readonly TurnState[]> {
    const answer = await fetch(`${this.detector}/v1/turns?limit=200`);
    if (answer.status !== 200)
      throw new Error(`the detector answered ${answer.status}: ${await answer.text()}`);
    const { turns } = (await answer.json()) as { readonly turns: readonly TurnState[] };
    return turns.filter(isRight).reverse();
  }

  /** Something is left as it is, for somebody to look at, and is cleared away when the stage is. */
  leave(clear: () => Promise<void>): void {
    this.#left.push(clear);
  }

  async strike(): Promise<void> {
    for (const clear of this.#left.splice(0)) await clear();
    for (const child of this.#children.reverse()) await child.end();
    await this.#provider?.close();
    await this.#sink?.close();
    this.#removeScratch();
  }

  async #set(port: number): Promise<void> {
    this.#provider = await ScriptedProvider.start({
      dialects: [noted(this.#client.dialect, this.moments)],
      script: (request) => this.#scriptOf(request),
    });
    this.#sink = await WebhookSink.start();
    this.#sink.answer = (response, { body }) => {
      this.#hear(body);
      response.writeHead(202).end();
    };
    const config = join(this.scratch, 'turnwatch.json');
    writeFileSync(config, JSON.stringify({ detector: { policy, endpoints: [endpointAt(this.#sink.url)] } }));
    const detector = this.#start(
      ...['serve', '--config', config, '--port', String(port), '--store', 'memory', '--log-level', 'warn'],
    );
    [, this.#detector = ''] = await detector.prints(/watch\s+(http:\/\/\S+?)\/ /);
    [this.#tap, this.#attendedTap] = await Promise.all([this.#startTap(), this.#startTap('--attended')]);
  }

  async #startTap(...flags: readonly string[]): Promise<string> {
    const tap = this.#start(
      ...['tap', '--upstream', this.provider, '--route', 'api', '--listen', '127.0.0.1:0'],
      ...['--endpoint', this.#detector, ...flags],
    );
    const [, url = ''] = await tap.prints(/turnwatch tap is up: (\S+) ->/);
    return url;
  }

  #start(...args: readonly string[]): Child {
    const child = Child.turnwatch(...args);
    this.#children.push(child);
    return child;
  }

  #scriptOf(request: ModelRequest): Script {
    const script = this.#scripts.get(request.model)?.(request);
    if (script === undefined) throw new Error(`no case asks for the model ${request.model}`);
    this.moments.add(request.model, 'request');
    const isRefused = script.some((step) => step.do === 'refuse');
    if (isRefused) this.moments.add(request.model, 'error');
    return script;
  }

  #hear(body: string): void {
    const { type, subject, data } = JSON.parse(body) as {
      readonly type: string;
      readonly subject: string;
      readonly data: {
        readonly turn?: { readonly model?: string; readonly conversationId?: string };
        readonly stale?: Told['stale'];
      };
    };
    this.told.push({
      atMs: Date.now(),
      type,
      turn: subject,
      model: data.turn?.model ?? null,
      conversationId: data.turn?.conversationId ?? null,
      stale: data.stale,
    });
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function endpointAt(url: string): object {
  return {
    id: 'clients',
    url,
    secret: `whsec_${Buffer.from('told to nobody but this program').toString('base64')}`,
    types: ['turn.suspect', 'turn.stale', 'turn.expired', 'turn.recovered', 'request.expired'],
  };
}
