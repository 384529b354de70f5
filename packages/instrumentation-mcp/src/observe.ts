import { ClientCalls, type McpOptions } from './client-calls.ts';
import { quietly } from './quietly.ts';

/** The little of the SDK's `Client` that is needed; those of both lines have it. */
export interface ClientLike {
  request(...args: never[]): Promise<unknown>;
  connect(...args: never[]): Promise<unknown>;
  readonly transport?: object | undefined;
}

interface Patched {
  request(message: unknown, ...rest: readonly unknown[]): Promise<unknown>;
  connect(...args: readonly unknown[]): Promise<unknown>;
  readonly transport?: object | undefined;
}

interface Transport {
  send?(message: unknown, ...rest: readonly unknown[]): unknown;
  onmessage?: (message: unknown, ...rest: readonly unknown[]) => void;
  onclose?: () => void;
}

const observed: WeakSet<object> = new WeakSet();

/**
 * Follows the tool calls of an MCP client: every `tools/call` made within a turn is a call of it, with its time-out, its
 * progress and what it waits for. Messages pass as they are. To be called once, before or after `connect`.
 *
 * @returns the client itself.
 */
export function observe<Client extends ClientLike>(client: Client, options: McpOptions = {}): Client {
  if (observed.has(client)) return client;
  observed.add(client);
  const calls = new ClientCalls(options);
  const patched = client as unknown as Patched;
  const { request, connect } = patched;
  patched.request = (message, ...rest) =>
    calls.request((sent, ...others) => request.call(client, sent, ...others), message, rest);
  patched.connect = async (...args) => {
    const connected = await connect.call(client, ...args);
    tap(client.transport, calls);
    return connected;
  };
  tap(client.transport, calls);
  return client;
}

/** Listens in on a connected transport, on the object itself: the SDK tells its own transports by their class. */
function tap(connected: object | undefined, calls: ClientCalls): void {
  if (connected === undefined || observed.has(connected)) return;
  observed.add(connected);
  const transport = connected as Transport;
  const { send, onmessage, onclose } = transport;
  transport.send = (...args) => {
    quietly(() => calls.sent(args[0]));
    return send?.apply(connected, args);
  };
  transport.onmessage = (...args) => {
    quietly(() => calls.received(args[0]));
    onmessage?.apply(connected, args);
  };
  transport.onclose = () => {
    quietly(() => calls.disconnected());
    onclose?.call(connected);
  };
}
