import { Child } from '../llama/children.ts';
import { exitOnSignals } from './at-exit.ts';
import { scratchFolder } from './scratch-folder.ts';

// Prints a folder, and the ids of programs that would go on for an hour: one, one in a group of its own, and that one's child.
exitOnSignals();
const [folder] = scratchFolder('turnwatch-left-');
const one = new Child('sleep', ['3600']);
const group = new Child('sh', ['-c', 'sleep 3600 & echo "$!"; wait'], { detached: true });
const [own = ''] = await group.prints(/\d+/);
process.stdout.write(
  `${JSON.stringify({ folder, pids: [one.process.pid, group.process.pid, Number(own)] })}\n`,
);
