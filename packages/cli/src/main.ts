#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { nodeFault } from './node-version.ts';

// Whoever reads our output may stop before its end (`turnwatch replay ... | head`): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const fault = nodeFault(process.versions.node);
if (fault !== undefined) process.stderr.write(`turnwatch: ${fault}\n`);
process.exitCode =
  fault === undefined
    ? await runCommandLine(process.argv.slice(2), {
        out: (text) => void process.stdout.write(text),
        err: (text) => void process.stderr.write(text),
      })
    : 1;
