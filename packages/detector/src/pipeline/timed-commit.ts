import type { PipelineOptions } from './pipeline-options.ts';

/** @throws whatever the commit throws */
export function timed(
  commit: () => void,
  { monoMs = () => 0, onCommit }: Pick<PipelineOptions, 'monoMs' | 'onCommit'>,
): void {
  const startedMs = monoMs();
  let outcome: 'ok' | 'failed' = 'failed';
  try {
    commit();
    outcome = 'ok';
  } finally {
    onCommit?.(monoMs() - startedMs, outcome);
  }
}
