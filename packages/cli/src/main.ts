#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { commands } from './commands.ts';
import { nodeFault } from './node-version.ts';
import { processOutput } from './process-output.ts';

const args = process.argv.slice(2);
const output = processOutput(process, commands.find(({ name }) => name === args[0])?.unread ?? 'finishes');
const fault = nodeFault(process.versions.node);
if (fault !== undefined) output.err(`turnwatch: ${fault}\n`);
process.exitCode = fault === undefined ? await runCommandLine(args, output) : 1;
