import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the engine works on, in one of its slots. */
export interface ScriptedSlot {
  readonly id: number;
  /** Prompt tokens read. */
  read: number;
  generated: number;
}

/** What a scripted engine looks like from outside. */
export type EngineLook = 'llama-cpp' | 'vllm' | 'sglang' | 'tgi' | 'ollama' | 'lm-studio';

/**
 * A local engine over real HTTP whose work the test does: it tells of it in the words of one of the real ones. Slots are
 * there while a request runs.
 */
export class ScriptedEngine {
  readonly url: string;
  /** Paths in the order in which they were asked for. */
  readonly asked: string[] = [];
  slots: ScriptedSlot[] = [];
  /** How many requests it can work on at once. */
  slotCount = 1;
  queued = 0;
  /** Batches so far: they move with all that it does. */
  steps = 0;
  /** Prompts that were read to their end. */
  readPrompts = 0;
  loaded = true;
  /** Pages that are switched off. */
  readonly off: Set<string> = new Set();
  readonly #server: Server;
  readonly #look: EngineLook;

  private constructor(server: Server, look: EngineLook) {
    this.#server = server;
    this.#look = look;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  static async start(look: EngineLook = 'llama-cpp'): Promise<ScriptedEngine> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ScriptedEngine(server, look);
  }

  /** One batch of this slot: so many prompt tokens more. */
  reads(id: number, tokens: number): void {
    const slot = this.slots.find((each) => each.id === id);
    if (slot === undefined) throw new Error(`no request runs in slot ${id}`);
    slot.read += tokens;
    this.steps++;
  }

  /** Nobody can reach it any more. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    this.asked.push(path);
    const body = this.off.has(path) ? undefined : this.#pages()[path];
    if (this.#look === 'llama-cpp') response.setHeader('Server', 'llama.cpp');
    if (body === undefined) {
      response.writeHead(this.#look === 'llama-cpp' && this.off.has(path) ? 501 : 404).end('{}');
      return;
    }
    response.writeHead(200, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  #pages(): Readonly<Record<string, string | object>> {
    const running = this.slots.length;
    const generated = this.slots.reduce((sum, slot) => sum + slot.generated, 0);
    switch (this.#look) {
      case 'llama-cpp':
        return {
          '/health': { status: 'ok' },
          '/slots': Array.from({ length: this.slotCount }, (_, id) => this.#llamaSlot(id)),
          '/metrics': counters({
            'llamacpp:prompt_tokens_total': this.readPrompts,
            'llamacpp:n_decode_total': this.steps,
            'llamacpp:requests_processing': running,
            'llamacpp:requests_deferred': this.queued,
          }),
        };
      case 'vllm':
        return {
          '/health': '',
          '/metrics': counters({
            'vllm:num_requests_running{engine="0",model_name="m"}': running,
            'vllm:num_requests_waiting{engine="0",model_name="m"}': this.queued,
            'vllm:prompt_tokens_total{engine="0",model_name="m"}': this.readPrompts,
            'vllm:generation_tokens_total{engine="0",model_name="m"}': generated,
            'vllm:iteration_tokens_total_count{engine="0",model_name="m"}': this.steps,
          }),
        };
      case 'sglang':
        return {
          '/health': '',
          '/metrics': counters({
            'sglang:num_running_reqs{model_name="m"}': running,
            'sglang:num_queue_reqs{model_name="m"}': this.queued,
            'sglang:prompt_tokens_total{model_name="m"}': this.readPrompts,
            'sglang:generation_tokens_total{model_name="m"}': generated,
            'sglang:realtime_tokens_total{mode="prefill_compute",model_name="m"}': this.steps,
          }),
        };
      case 'tgi':
        return {
          '/health': '',
          '/metrics': counters({
            tgi_batch_current_size: running,
            tgi_queue_size: this.queued,
            'tgi_batch_inference_count{method="prefill"}': this.steps,
          }),
        };
      case 'ollama':
        return {
          '/api/version': { version: '0.14.2' },
          '/api/ps': { models: this.loaded ? [{ name: 'm', expires_at: '2026-01-01T00:00:00Z' }] : [] },
        };
      case 'lm-studio':
        return {
          '/api/v1/models': { models: [{ key: 'm', loaded_instances: this.loaded ? [{ id: 'm' }] : [] }] },
          '/api/v0/models': { data: [{ id: 'm', state: this.loaded ? 'loaded' : 'not-loaded' }] },
        };
    }
  }

  #llamaSlot(id: number): object {
    const slot = this.slots.find((each) => each.id === id);
    if (slot === undefined) return { id, n_ctx: 32_768, is_processing: false };
    return {
      id,
      n_ctx: 32_768,
      is_processing: true,
      id_task: 78,
      n_prompt_tokens: slot.read,
      n_prompt_tokens_processed: slot.read,
      n_prompt_tokens_cache: 0,
      next_token: [{ has_next_token: true, n_remain: -1, n_decoded: slot.generated }],
    };
  }
}

function counters(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('');
}
