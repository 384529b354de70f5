// An agent that is told to stop in the middle of a turn.
import { startTurn } from '@turnwatch/instrumentation';
import { setup } from '@turnwatch/instrumentation/setup';

await setup({ endpoint: process.env.ENDPOINT });
startTurn({ id: 'A' });
setInterval(() => undefined, 1000);
console.log('ready');
