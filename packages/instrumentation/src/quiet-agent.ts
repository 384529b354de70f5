import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

// Exports must not hold the process open: a collector that hangs would delay every exit by its time-out.

function unref(stream: Duplex | null | undefined): void {
  if (stream !== null && stream !== undefined && 'unref' in stream) (stream as Socket).unref();
}

/** A keep-alive agent whose sockets never keep the process alive. */
export function quietAgent(protocol: string): Agent | SecureAgent {
  const agent = protocol === 'https:' ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    unref(socket);
    return socket;
  };
  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (socket, request) => {
    // The stock one does more than it says (guards of an idle socket are taken off) and refs the socket again.
    reuse(socket, request);
    unref(socket);
  };
  return agent;
}
