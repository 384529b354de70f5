import { setTimeout as delay } from 'node:timers/promises';
import { type RequestHandle, type Turn, withTurn } from '@turnwatch/instrumentation';
import OpenAI from 'openai';
import { keepaliveFetch } from './keepalive-fetch.ts';
import { type NoteName, report } from './message.ts';
import { horizonMs, model, parentName, type TurnName, type WorkerName } from './story.ts';

interface ToolRequest {
  readonly id: string;
  readonly name: string;
}

/** An agent as anybody might write it: the openai client, a tool loop, and a line of Turnwatch here and there. */
export class Agent {
  readonly #name: WorkerName;
  readonly #baseURL: string;

  constructor(name: WorkerName, providerUrl: string) {
    this.#name = name;
    this.#baseURL = `${providerUrl}/v1`;
  }

  /** Meets the provider once: a first connection takes its time, and the times of the story should be the script's. */
  async warmUp(): Promise<void> {
    await this.#client(fetch).models.list();
  }

  /** Runs one turn of the story to its end, if it has one. Never rejects. */
  async run(turn: TurnName): Promise<void> {
    note(turn, 'started');
    try {
      await this.#turns[turn]();
      note(turn, 'ended');
    } catch (error) {
      const name = error instanceof Error ? error.name : String(error);
      note(turn, name === 'TurnExpiredError' ? 'rejected' : 'failed', name);
    }
  }

  readonly #turns: Readonly<Record<TurnName, () => Promise<void>>> = {
    'long-read': () => this.#turn('long-read', { route: 'local' }, (turn) => this.#chat(turn)),
    'stream-stops': () => this.#turn('stream-stops', {}, (turn) => this.#chat(turn)),
    killed: () => this.#turn('killed', {}, (turn) => this.#chat(turn)),
    'lost-tool': () =>
      this.#turn('lost-tool', {}, async (turn) => {
        const calls = await this.#chat(turn);
        note('lost-tool', 'tools_open', calls.map(({ name }) => name).join(', '));
        await Promise.all(
          calls.map((call) => (call.name === 'run_tests' ? runTests(turn, call) : fetchPage(turn, call))),
        );
      }),
    wedged: () =>
      this.#turn('wedged', { expiresInMs: horizonMs }, async (turn) => {
        turn.signal.addEventListener('abort', () =>
          note('wedged', 'signal_aborted', turn.signal.reason?.name),
        );
        // Report 004's bug on purpose: the client is not given the signal, so that this never settles by itself.
        await this.#read(turn, turn.request());
      }),
  };

  #turn(
    id: TurnName,
    more: { route?: 'local'; expiresInMs?: number },
    work: (turn: Turn) => Promise<unknown>,
  ): Promise<void> {
    const options = { id, parentId: parentName, agent: this.#name, provider: 'openai', model, ...more };
    return withTurn(options, async (turn) => {
      await work(turn);
    });
  }

  /** One LLM call; gives the tools that the model asks for. */
  #chat(turn: Turn): Promise<ToolRequest[]> {
    return turn.withRequest({}, (request) => this.#read(turn, request, request.signal));
  }

  #client(fetched: typeof fetch): OpenAI {
    return new OpenAI({ baseURL: this.#baseURL, apiKey: 'none', maxRetries: 0, fetch: fetched });
  }

  async #read(turn: Turn, request: RequestHandle, signal?: AbortSignal): Promise<ToolRequest[]> {
    let comments = 0;
    const fetched = keepaliveFetch(() => {
      comments++;
      request.keepalive();
    });
    const stream = await this.#client(fetched).chat.completions.create(
      { model, messages: [{ role: 'user', content: turn.id }], stream: true },
      signal === undefined ? {} : { signal },
    );
    const calls: ToolRequest[] = [];
    let isFirst = true;
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta;
      for (const call of delta?.tool_calls ?? [])
        if (call.id !== undefined && call.function?.name !== undefined)
          calls.push({ id: call.id, name: call.function.name });
      const kind = delta?.tool_calls !== undefined ? 'tool_args' : delta?.content ? 'text' : undefined;
      if (kind === undefined) {
        request.lifecycle();
        continue;
      }
      request.chunk(kind);
      if (isFirst)
        note(
          turn.id as TurnName,
          'content',
          comments === 0 ? undefined : `${comments} SSE comments kept it alive`,
        );
      isFirst = false;
    }
    return calls;
  }
}

/** A long test run that says how far it is. */
function runTests(turn: Turn, { id, name }: ToolRequest): Promise<never> {
  return turn.withToolCall({ id, name }, async (call) => {
    for (;;) {
      await delay(700);
      call.progress();
    }
  });
}

/** The page is there at once, but its completion never arrives: nobody ends the call (report 001). */
function fetchPage(turn: Turn, { id, name }: ToolRequest): Promise<never> {
  return turn.withToolCall({ id, name }, () => new Promise<never>(() => undefined));
}

function note(turn: TurnName, name: NoteName, detail?: string): void {
  report({ kind: 'note', turn, note: name, atMs: Date.now(), ...(detail === undefined ? {} : { detail }) });
}
