import { setup } from '@turnwatch/instrumentation/setup';
import { Agent } from './agent.ts';
import { endWithDemo, report } from './message.ts';
import { turnsOf, type WorkerName } from './story.ts';

// A worker process. Arguments: its name, the URL of the detector, the URL of the provider.
const [name = 'worker-1', endpoint = '', provider = ''] = process.argv.slice(2);
const worker = name as WorkerName;

endWithDemo();
await setup({ endpoint, serviceName: name });
const agent = new Agent(worker, provider);
process.on('message', () => {
  for (const turn of turnsOf(worker)) void agent.run(turn.name);
});
await agent.warmUp();
report({ kind: 'ready' });
