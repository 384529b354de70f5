import { spawn } from 'node:child_process';
import { join } from 'node:path';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From the last line of output to the exit. */
  readonly lingeredMs: number;
}

/** Runs an agent as a process of its own, by this Node or another. `onOutput` hears of its output, and can stop it. */
export function runAgent(
  folder: string,
  script: string,
  env: Record<string, string>,
  onOutput?: (kill: (signal: NodeJS.Signals) => void) => void,
  node: { readonly path?: string; readonly flags?: readonly string[] } = {},
): Promise<Ended> {
  const { NODE_OPTIONS: _options, ...inherited } = process.env;
  const child = spawn(node.path ?? process.execPath, [...(node.flags ?? []), join(folder, script)], {
    env: { ...inherited, ...env },
  });
  let stdout = '';
  let stderr = '';
  let lastOutput = performance.now();
  child.stdout.on('data', (text: Buffer) => {
    stdout += text;
    lastOutput = performance.now();
    onOutput?.((signal) => child.kill(signal));
  });
  child.stderr.on('data', (text: Buffer) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    let lingeredMs = 0;
    child.on('exit', () => {
      lingeredMs = performance.now() - lastOutput;
    });
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr, lingeredMs }));
  });
}
