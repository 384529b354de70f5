import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [, , codex] = process.argv;

// Codex as its own screen and editors run it: a server that outlives the turn, asked over JSON lines.
const server = spawn(process.execPath, [codex, 'app-server'], {
  stdio: ['pipe', 'pipe', 'inherit'],
  // Ctrl-C is for the screen, which then asks for an interrupt.
  detached: true,
});
const answers = new Map();
let asked = 0;
const tell = (message) => server.stdin.write(`${JSON.stringify(message)}\n`);
const ask = (method, params) =>
  new Promise((resolve, reject) => {
    const id = asked++;
    answers.set(id, ({ result, error }) => (error === undefined ? resolve(result) : reject(error)));
    tell({ id, method, params });
  });
createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) answers.get(message.id)?.(message);
  if (message.method === 'turn/completed') end(message.params.turn.status);
});

await ask('initialize', { clientInfo: { name: 'turnwatch', title: 'turnwatch', version: '1' } });
tell({ method: 'initialized' });
const { thread } = await ask('thread/start', {});
const input = [{ type: 'text', text: 'please work' }];
const { turn } = await ask('turn/start', { threadId: thread.id, input });
process.on('SIGINT', () => void ask('turn/interrupt', { threadId: thread.id, turnId: turn.id }));

function end(status) {
  process.stdout.write(`the turn is ${status}\n`);
  process.exitCode = status === 'completed' ? 0 : 1;
  // What it has recorded goes out before it ends.
  server.stdin.end();
}
