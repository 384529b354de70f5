import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver, fileStore } from '../../receive.ts';

// A parent agent in a process of its own, for tests that kill it. Arguments: the store's file, the file its handler
// writes to, and whether the handler hangs. Prints READY and its address.
const [storePath = '', handledPath = '', mode] = process.argv.slice(2);
const receiver = createReceiver({
  secret: process.env.SECRET ?? '',
  store: fileStore(storePath, { compactAfter: 50 }),
  onEvent: async (event) => {
    if (mode === 'hang') await new Promise(() => undefined);
    appendFileSync(handledPath, `${event.id}\n`);
  },
});
const server = createServer(receiver.node);
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', async () => {
  const recovered = await receiver.recovered();
  console.log(`READY ${(server.address() as AddressInfo).port} ${recovered}`);
});
