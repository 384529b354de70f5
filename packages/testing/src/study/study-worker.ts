import { parentPort } from 'node:worker_threads';
import { runTask, type StudyTask } from './study-plan.ts';

// The other end of study-pool.ts.

parentPort?.on('message', (task: StudyTask) => {
  parentPort?.postMessage(runTask(task));
});
