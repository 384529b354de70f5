// Only the API: no SDK can be found from here.
import { startTurn, withTurn } from '@turnwatch/instrumentation';

const turn = startTurn();
turn.request().chunk();
turn.end();
await withTurn({}, async () => undefined);
const { setup } = await import('@turnwatch/instrumentation/setup');
await setup().then(
  () => console.log('unexpected'),
  (error) => console.log(error.message),
);
