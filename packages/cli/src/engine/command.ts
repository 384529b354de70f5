import { type Command, command } from '../command.ts';
import { reportingFlags } from '../reporting-flags.ts';

const ownFlags = {
  url: { kind: 'text', value: 'URL', help: 'where the engine answers: http://127.0.0.1:8080' },
  kind: {
    kind: 'text',
    value: 'KIND',
    oneOf: ['auto', 'llama-cpp', 'vllm', 'sglang', 'tgi', 'ollama', 'lm-studio'],
    help: 'auto (default), llama-cpp, vllm, sglang, tgi, ollama, lm-studio',
  },
  name: { kind: 'text', value: 'NAME', help: 'as agents give it in engineId, default host:port of the URL' },
  'token-env': {
    kind: 'text',
    value: 'VARIABLE',
    help: "of the environment, with the engine's bearer token",
  },
  every: {
    kind: 'number',
    value: 'S',
    min: 1,
    max: 60,
    help: 'pause between two looks, default 2; llama.cpp is never asked more often than that',
  },
  once: { kind: 'switch', help: 'look, say what is seen, tell nobody' },
  json: { kind: 'switch', help: 'with --once: a JSON line on stdout' },
} as const;

export const engineFlags: typeof ownFlags & typeof reportingFlags = { ...ownFlags, ...reportingFlags };

export const engineCommand: Command = command({
  name: 'engine',
  unread: 'works-on',
  summary: 'look at a local engine and tell the detector what it does',
  usage: '--url URL [flags]',
  flags: engineFlags,
  notes: [
    'Run it beside the engine; SIGTERM stops it. Turns are tied to it by their engineId and the route local.',
    'An engine that cannot be reached is no evidence for or against any turn; one that stands still is none either.',
    'exit codes: 0 all is well, 1 with --once: no engine was seen, 2 the command line is wrong',
  ].join('\n'),
  load: async () => (await import('./run.ts')).runEngine,
});
