import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Post {
  readonly path?: string;
  readonly type?: 'application/x-protobuf' | 'application/json';
  readonly encoding?: string;
  readonly body: Uint8Array;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly agent?: Agent;
}

/** The status, or how the connection ended. */
export function post(url: string, given: Post): Promise<string> {
  const { path = '/v1/logs', type = 'application/x-protobuf', encoding, body, headers, agent } = given;
  return new Promise((resolve) => {
    const sent = request(
      `${url}${path}`,
      {
        method: 'POST',
        agent: agent ?? new Agent(),
        headers: {
          'content-type': type,
          'content-length': body.length,
          ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
          ...headers,
        },
      },
      (response) => {
        response.resume();
        response.once('end', () => resolve(String(response.statusCode)));
        response.once('error', () => resolve(String(response.statusCode)));
      },
    );
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end(body);
  });
}

/** An open socket that has sent these bytes; what comes back is thrown away. */
export function opened(port: number, bytes: string | Uint8Array): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes);
      resolve(socket);
    });
    socket.on('error', () => resolve(socket));
    socket.resume();
  });
}

/** Answers by how many there were. */
export function tally(answers: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return [...counts]
    .sort()
    .map(([answer, count]) => `${answer}: ${count}`)
    .join(', ');
}
