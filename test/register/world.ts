import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig, type Served, serve, silentLogger } from '@turnwatch/detector';
import type { TurnDocument } from '@turnwatch/protocol';
import { type ModelRequest, type Script, ScriptedProvider } from '@turnwatch/testing/provider';

/** T + C in every phase of a model request: a stall is flagged after 3.75 s. */
export const allowedMs = 3750;
/** Over twice of it: what would be flagged without signs of life. */
const quietMs = 8000;

const scripts: Readonly<Record<string, Script>> = {
  short: [{ do: 'text', text: 'all is well' }],
  stall: [{ do: 'text', text: 'half of a' }, { do: 'stall' }],
  quiet: [
    { do: 'wait', ms: quietMs, keepaliveEveryMs: 500 },
    { do: 'text', text: 'slow but fine' },
  ],
  tool: [{ do: 'tool', name: 'search', args: { q: 'rain' }, id: 'call_a' }],
};

/** A running detector with short thresholds, a provider that does as it is asked, and a tool that takes its time. */
export class World {
  readonly provider: ScriptedProvider;
  readonly #flagged: Set<string>;
  readonly #detector: Served;
  readonly #tool: Server;
  #held: ServerResponse[] = [];

  private constructor(provider: ScriptedProvider, detector: Served, tool: Server, flagged: Set<string>) {
    this.#flagged = flagged;
    this.provider = provider;
    this.#detector = detector;
    this.#tool = tool;
    tool.on('request', (_request, response) => this.#held.push(response));
  }

  static async start(): Promise<World> {
    const thresholdMs = 3000;
    const { config } = loadConfig({
      flags: {
        store: 'memory',
        listen: { port: 0 },
        policy: {
          defaultThresholdMs: {
            first_token: thresholdMs,
            reasoning: thresholdMs,
            text: thresholdMs,
            tool_args: thresholdMs,
            non_streaming: thresholdMs,
          },
        },
      },
    });
    const flagged = new Set<string>();
    const detector = await serve(config, {
      logger: silentLogger,
      handleSignals: false,
      onEvent: (event) => {
        if (event.type === 'turn.stale') flagged.add(event.turn);
      },
    });
    const provider = await ScriptedProvider.start({ script: scriptOf });
    const tool = createServer();
    tool.listen(0, '127.0.0.1');
    await once(tool, 'listening');
    return new World(provider, detector, tool, flagged);
  }

  get detectorUrl(): string {
    return this.#detector.url;
  }

  /** What an app needs to know. */
  get env(): Record<string, string> {
    const { port } = this.#tool.address() as AddressInfo;
    return { MODEL_URL: `${this.provider.url}/v1`, TOOL_URL: `http://127.0.0.1:${port}/search` };
  }

  /** Whether there was ever a verdict on this turn. */
  wasFlagged(turn: TurnDocument): boolean {
    return this.#flagged.has(turn.id);
  }

  /** All turns of that agent, oldest first. */
  async turns(agent: string): Promise<TurnDocument[]> {
    const response = await fetch(`${this.detectorUrl}/v1/turns?agent=${agent}&limit=100`);
    const { turns } = (await response.json()) as { turns: TurnDocument[] };
    return turns.reverse();
  }

  /** Waits until a turn of that agent is so. The test's time-out is the bound. */
  async until(agent: string, is: (turn: TurnDocument) => boolean): Promise<TurnDocument> {
    for (;;) {
      const found = (await this.turns(agent)).find(is);
      if (found !== undefined) return found;
      await delay(100);
    }
  }

  /** Every call of the tool that waits is answered. */
  finishTools(): void {
    for (const response of this.#held.splice(0)) response.end('rain');
  }

  async stop(): Promise<void> {
    this.finishTools();
    this.#tool.close();
    this.#tool.closeAllConnections();
    await this.provider.close();
    await this.#detector.stop();
  }
}

/** The last word of the prompt names the script. One that names a tool goes on after it with the rest: `tool:quiet`. */
function scriptOf({ body }: ModelRequest): Script {
  const text = JSON.stringify(body.messages);
  const [, first = 'short', then = 'short'] = /(short|stall|quiet|tool)(?::(\w+))?/.exec(text) ?? [];
  const isAnswered = text.includes('"role":"tool"');
  return scripts[isAnswered ? then : first] ?? [];
}
