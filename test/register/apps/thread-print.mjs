import { isMainThread } from 'node:worker_threads';

// Loaded with --import: says where it is loaded besides the main thread.
if (!isMainThread) process.stderr.write('loaded in a thread\n');
