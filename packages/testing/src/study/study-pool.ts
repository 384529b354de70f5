import { Worker } from 'node:worker_threads';
import { runTask, type StudyTask, type TaskResult } from './study-plan.ts';

/** The sources run as they are, and so does what is built of them. */
const workerUrl = import.meta.url.endsWith('.ts')
  ? new URL('./study-worker.ts', import.meta.url)
  : new URL('./study-worker.js', import.meta.url);

/** Runs the tasks one after the other, in this thread. */
export function runHere(tasks: readonly StudyTask[]): TaskResult[] {
  return tasks.map(runTask);
}

/** Shares the tasks out to worker threads. The results come in the order of the tasks, however many threads there are. */
export async function runShared(
  tasks: readonly StudyTask[],
  threads: number,
  onDone: (done: number) => void,
): Promise<TaskResult[]> {
  const results: (TaskResult | undefined)[] = tasks.map(() => undefined);
  let next = 0;
  let done = 0;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(workerUrl);
      let mine = -1;
      const give = (): void => {
        mine = next++;
        const task = tasks[mine];
        if (task !== undefined) worker.postMessage(task);
        else void worker.terminate().then(() => resolve(), reject);
      };
      worker.on('error', reject);
      worker.on('message', (result: TaskResult) => {
        results[mine] = result;
        onDone(++done);
        give();
      });
      give();
    });
  await Promise.all(Array.from({ length: Math.min(threads, tasks.length) }, work));
  return results.map((result, i) => {
    if (result === undefined) throw new Error(`task ${i} of the study gave no result`);
    return result;
  });
}
