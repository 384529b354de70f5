import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { reportsExits } from './instrumentation.ts';
import { guarded } from './runtime.ts';
import { processIdVariable, supervisorVariable } from './supervised-id.ts';

/**
 * The environment that makes a direct child of this process take `processId`, for children that are started by other
 * means than {@link spawnSupervised}. One id for each child.
 */
export function supervisedEnv(processId: string = randomUUID()): Readonly<Record<string, string>> {
  return { [processIdVariable]: processId, [supervisorVariable]: String(process.pid) };
}

/**
 * Reports the exit of `child`, with its code or signal, at once when it is seen: its open turns are then stale within a
 * second, also after SIGKILL, which leaves the child no last word. Records go the same way as those of turns.
 *
 * @param processId what the child got by {@link supervisedEnv}.
 */
export function supervise(child: ChildProcess, { processId }: { readonly processId: string }): void {
  const report = reportsExits();
  const exited = (code: number | null, signal: NodeJS.Signals | null): void =>
    guarded(() =>
      report(processId, { ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) }),
    );
  if (child.exitCode !== null || child.signalCode !== null) exited(child.exitCode, child.signalCode);
  else child.once('exit', exited);
}

/** `child_process.spawn` with {@link supervise}: the instrumented agent that it starts is watched by this process. */
export function spawnSupervised(
  command: string,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): ChildProcess {
  const processId = randomUUID();
  const child = spawn(command, args, {
    ...options,
    env: { ...(options.env ?? process.env), ...supervisedEnv(processId) },
  });
  supervise(child, { processId });
  return child;
}
