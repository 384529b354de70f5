import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type ElicitResult,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { withTurn } from '@turnwatch/instrumentation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Recorder } from '../fixtures/recorder.ts';
import { observe } from './index.ts';

// SDK 2, over HTTP with protocol 2026-07-28 and in memory with 2025-11-25.

const recorder = new Recorder();
const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
let elicited: () => Promise<ElicitResult>;
let release: (() => void) | undefined;

function server(): McpServer {
  const mcp = new McpServer({ name: 'scripted', version: '2' });
  mcp.registerTool('echo', { inputSchema: z.object({ words: z.string() }) }, ({ words }) => text(words));
  mcp.registerTool('hold', {}, async ({ mcpReq }) => {
    await new Promise<void>((resolve) => {
      release = resolve;
      mcpReq.signal.addEventListener('abort', () => resolve());
    });
    return text('held');
  });
  mcp.registerTool('deploy', { inputSchema: z.object({ env: z.string() }) }, ({ env }, { mcpReq }) => {
    const schema = z.object({ confirm: z.boolean() });
    if (acceptedContent(mcpReq.inputResponses, 'confirm', schema)?.confirm === true)
      return text(`deployed ${env}`);
    return inputRequired({
      inputRequests: {
        confirm: inputRequired.elicit({ message: `Deploy to ${env}?`, requestedSchema: schema }),
      },
      requestState: `state of ${env}`,
    });
  });
  return mcp;
}

function observed(mode: 'legacy' | { pin: string }): Client {
  const client = observe(
    new Client(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
    ),
  );
  client.setRequestHandler('elicitation/create', () => elicited());
  return client;
}

beforeEach(() => {
  recorder.clear();
  release = undefined;
  elicited = async () => ({ action: 'accept', content: { confirm: true } });
});

describe('over HTTP, with several rounds to a call', () => {
  let client: Client;
  let http: Server;

  beforeEach(async () => {
    const handler = createMcpHandler(server);
    http = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const aborted = new AbortController();
        response.on('close', () => aborted.abort());
        const result = await handler.fetch(
          new Request(`http://127.0.0.1${request.url}`, {
            method: request.method ?? 'GET',
            headers: Object.entries(request.headers).map(([name, value]): [string, string] => [
              name,
              String(value),
            ]),
            signal: aborted.signal,
            ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
          }),
        );
        response.writeHead(result.status, Object.fromEntries(result.headers));
        for await (const chunk of result.body ?? []) response.write(chunk);
        response.end();
      };
      answer().catch((error: Error) => response.destroy(error));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    client = observed({ pin: '2026-07-28' });
    const { port } = http.address() as AddressInfo;
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  });
  afterEach(async () => {
    await client.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });

  it('a call is one of its turn', async () => {
    await withTurn({ id: 'h1' }, () => client.callTool({ name: 'echo', arguments: { words: 'secret' } }));
    expect(recorder.events('h1')).toEqual(['turn.started', 'tool.started', 'tool.ended', 'turn.ended']);
    expect(JSON.stringify(recorder.seen)).not.toContain('secret');
  });

  it('it waits for input between its rounds, each turn for itself', async () => {
    const asked: ((result: ElicitResult) => void)[] = [];
    let bothAsked: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      bothAsked = resolve;
    });
    elicited = () =>
      new Promise((resolve) => {
        asked.push(resolve);
        if (asked.length === 2) bothAsked();
      });
    const deploy = (id: string) =>
      withTurn({ id }, () => client.callTool({ name: 'deploy', arguments: { env: id } }));
    const answers = Promise.all([deploy('h2'), deploy('h3')]);
    await both;
    for (const id of ['h2', 'h3']) {
      expect(recorder.events(id)).toEqual(['turn.started', 'tool.started', 'tool.progress', 'turn.waiting']);
      expect(recorder.of(id).at(-1)?.attributes).toMatchObject({ 'turnwatch.waiting.for': 'input' });
    }
    for (const answer of asked) answer({ action: 'accept', content: { confirm: true } });
    expect((await answers).map(({ content }) => content)).toEqual([
      text('deployed h2').content,
      text('deployed h3').content,
    ]);
    for (const id of ['h2', 'h3'])
      expect(recorder.events(id).slice(4)).toEqual(['turn.resumed', 'tool.ended', 'turn.ended']);
  });

  it('it is cancelled by its signal', async () => {
    const controller = new AbortController();
    await withTurn({ id: 'h4' }, async () => {
      const answer = client.callTool({ name: 'hold' }, { signal: controller.signal });
      controller.abort();
      await expect(answer).rejects.toThrow();
    });
    const ended = recorder.of('h4').find(({ event }) => event === 'tool.ended');
    expect(ended?.attributes).toMatchObject({ 'turnwatch.outcome': 'cancelled' });
  });
});

describe('in memory', () => {
  it('a call is followed on a client that was connected before, and once only', async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server().connect(theirs);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(ours);
    expect(observe(observe(client))).toBe(client);
    const held = withTurn({ id: 'm1' }, () => client.callTool({ name: 'hold' }, { timeout: 5000 }));
    await recorder.until(({ event }) => event === 'tool.started');
    await client.callTool({ name: 'echo', arguments: { words: 'x' } });
    release?.();
    await held;
    expect(recorder.events('m1')).toEqual(['turn.started', 'tool.started', 'tool.ended', 'turn.ended']);
    await client.close();
  });

  it('a question of the older protocol is a wait', async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server().connect(theirs);
    const client = observed('legacy');
    await client.connect(ours);
    await withTurn({ id: 'm2' }, () => client.callTool({ name: 'deploy', arguments: { env: 'm2' } }));
    expect(recorder.events('m2')).toEqual([
      'turn.started',
      'tool.started',
      'turn.waiting',
      'turn.resumed',
      'tool.ended',
      'turn.ended',
    ]);
    await client.close();
  });
});
