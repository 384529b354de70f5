// A turn and its horizon are left open: neither may keep the process alive.
import { startTurn } from '@turnwatch/instrumentation';
import { setup } from '@turnwatch/instrumentation/setup';

await setup({ endpoint: process.env.ENDPOINT });
startTurn({ id: 'A', expiresInMs: 3_600_000 });
console.log('work done');
