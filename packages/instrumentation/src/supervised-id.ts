/** The process id that a supervisor has given to its child, with the supervisor's own pid. */
export const processIdVariable = 'TURNWATCH_PROCESS_ID';
export const supervisorVariable = 'TURNWATCH_SUPERVISOR_PID';

/**
 * The id under which a supervisor will report the exit of this process. Children inherit the environment: only the
 * direct child of the supervisor takes it, since two processes of one id would each prove the other's exit.
 */
export function supervisedId(
  env: Readonly<Record<string, string | undefined>>,
  parentPid: number,
): string | undefined {
  const id = env[processIdVariable];
  const supervisor = env[supervisorVariable];
  if (id === undefined || id === '' || supervisor === undefined) return undefined;
  return supervisor === String(parentPid) ? id : undefined;
}
