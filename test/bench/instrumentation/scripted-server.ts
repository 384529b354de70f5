import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FromServer, ServerState, ToServer } from './server-message.ts';

/** The thread of `script-server.ts`, as its process sees it. */
export class ScriptedServer {
  readonly url: string;
  readonly #worker: Worker;
  readonly #consumed: Int32Array;

  private constructor(worker: Worker, consumed: Int32Array, port: number) {
    this.#worker = worker;
    this.#consumed = consumed;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<ScriptedServer> {
    const buffer = new SharedArrayBuffer(4);
    const worker = new Worker(new URL('script-server.ts', import.meta.url), {
      workerData: buffer,
      execArgv: [],
    });
    const [first] = (await once(worker, 'message')) as [FromServer];
    if (!('port' in first)) throw new Error('the scripted server did not tell its port');
    return new ScriptedServer(worker, new Int32Array(buffer), first.port);
  }

  /** A chunk was read: the next one may come. */
  chunkRead(): void {
    Atomics.add(this.#consumed, 0, 1);
    Atomics.notify(this.#consumed, 0);
  }

  async state(): Promise<ServerState> {
    const ask: ToServer = 'state';
    this.#worker.postMessage(ask);
    const [state] = (await once(this.#worker, 'message')) as [ServerState];
    return state;
  }
}
