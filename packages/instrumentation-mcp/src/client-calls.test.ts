import { startTurn, type Turn } from '@turnwatch/instrumentation';
import { expect, it } from 'vitest';
import { Recorder } from '../fixtures/recorder.ts';
import { ClientCalls } from './client-calls.ts';

// What servers may send and the SDKs' own servers do not.

const recorder = new Recorder();

function client() {
  const turn: Turn = startTurn();
  const calls = new ClientCalls({ turn: () => turn });
  let ids = 0;
  const answers = new Map<number, (result: unknown) => void>();
  return {
    turn,
    calls,
    events: () => recorder.events(turn.id),
    call(name = 'tool') {
      const id = ++ids;
      const message = { method: 'tools/call', id, params: { name } };
      const answer = calls.request(
        (sent) => {
          calls.sent(sent);
          return new Promise((resolve) => answers.set(id, resolve));
        },
        message,
        [],
      );
      return {
        id,
        async answered(result: unknown): Promise<void> {
          answers.get(id)?.(result);
          await answer;
        },
      };
    },
    ask: (method: string, id: number, params: object = {}) => calls.received({ method, id, params }),
    get: (taskId: string, answer: Promise<unknown>) =>
      calls.request(() => answer, { method: 'tasks/get', params: { taskId } }, []),
  };
}

const task = (taskId: string, status: string, statusMessage = '') => ({
  task: { taskId, status, statusMessage },
});

it('hostile messages pass', () => {
  const { calls } = client();
  const hostile = [null, 1, 'x', [], {}, { id: {} }, { method: 'elicitation/create' }, { id: 1, result: 7 }];
  for (const message of [...hostile, { method: 'tools/call', id: 1, params: { requestState: {} } }]) {
    expect(() => calls.sent(message)).not.toThrow();
    expect(() => calls.received(message)).not.toThrow();
  }
});

it('an error that is thrown while a request is sent ends its call and reaches its caller', () => {
  const { calls, events } = client();
  const thrown = new TypeError('no');
  const send = (): never => {
    throw thrown;
  };
  expect(() => calls.request(send, { method: 'tools/call', params: { name: 'x' } }, [])).toThrow(thrown);
  expect(events()).toEqual(['turn.started', 'tool.started', 'tool.ended']);
});

it('a question that its server takes back, or whose connection is lost, is over', () => {
  const { call, ask, calls, events } = client();
  call();
  ask('elicitation/create', 9);
  calls.received({ method: 'notifications/cancelled', params: { requestId: 9 } });
  ask('sampling/createMessage', 10);
  calls.disconnected();
  calls.sent({ id: 10, result: {} });
  expect(events().slice(2)).toEqual(['turn.waiting', 'turn.resumed', 'turn.waiting', 'turn.resumed']);
});

it('a call waits until the last of its questions is answered', () => {
  const { call, ask, calls, events } = client();
  call();
  ask('elicitation/create', 1);
  ask('elicitation/create', 2);
  ask('elicitation/create', 2);
  calls.sent({ id: 1, result: {} });
  expect(events().slice(2)).toEqual(['turn.waiting']);
  calls.sent({ id: 2, result: {} });
  expect(events().slice(2)).toEqual(['turn.waiting', 'turn.resumed']);
});

it('a question of a task is about its call alone', async () => {
  const { call, ask, calls, turn } = client();
  await call('task').answered(task('t', 'working'));
  call('other');
  ask('elicitation/create', 1, { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } } });
  const waiting = recorder.of(turn.id).at(-1);
  expect(waiting?.attributes['turnwatch.waiting.call_id']).toBe(waiting?.calls[0]);
  calls.sent({ id: 1, result: {} });
  expect(recorder.events(turn.id).filter((event) => event === 'turn.waiting')).toHaveLength(1);
});

it('a task that is only asked for does not move', async () => {
  const { call, get, events } = client();
  await call().answered(task('t', 'working', 'a'));
  for (let poll = 0; poll < 3; poll++)
    await get('t', Promise.resolve({ taskId: 't', status: 'working', statusMessage: 'a' }));
  expect(events()).toEqual(['turn.started', 'tool.started']);
  await get('t', Promise.resolve({ taskId: 't', status: 'working', statusMessage: 'b' }));
  expect(events().at(-1)).toBe('tool.progress');
});

it('a task is followed by its notifications too, of both spellings', async () => {
  const { call, calls, events } = client();
  await call().answered({ resultType: 'task', taskId: 't', status: 'working' });
  calls.received({ method: 'notifications/tasks', params: { taskId: 't', status: 'input_required' } });
  calls.received({ method: 'notifications/tasks/status', params: { taskId: 't', status: 'completed' } });
  calls.received({ method: 'notifications/tasks/status', params: { taskId: 't', status: 'working' } });
  expect(events().slice(2)).toEqual(['tool.progress', 'turn.waiting', 'tool.ended']);
});

it('a task that cannot be asked for is over, until it is asked for again', async () => {
  const { call, get, events } = client();
  await call().answered(task('t', 'working'));
  await expect(get('t', Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(events().slice(2)).toEqual(['tool.ended']);
  await get('t', Promise.resolve({ taskId: 't', status: 'working' }));
  await get('t', Promise.resolve({ taskId: 't', status: 'failed' }));
  expect(events().slice(3)).toEqual(['tool.started', 'tool.ended']);
});

it('no more tasks are kept than a turn can have calls', async () => {
  const { call, get, events } = client();
  for (let index = 0; index < 1026; index++) await call().answered(task(`t${index}`, 'working'));
  await get('t1025', Promise.resolve({ taskId: 't1025', status: 'completed' }));
  expect(events()).not.toContain('tool.ended');
  await get('t1023', Promise.resolve({ taskId: 't1023', status: 'completed' }));
  expect(events().at(-1)).toBe('tool.ended');
});

it('no more questions are kept than anybody can answer, and each call is told to wait once', () => {
  const { call, ask, calls, events } = client();
  call();
  for (let id = 0; id < 200; id++) ask('elicitation/create', id);
  expect(events().filter((event) => event === 'turn.waiting')).toHaveLength(1);
  for (let id = 0; id < 128; id++) calls.sent({ id, result: {} });
  expect(events().at(-1)).toBe('turn.resumed');
});

it('tasks of turns that are over make room', async () => {
  const turns: Turn[] = [];
  const calls = new ClientCalls({ turn: () => turns.at(-1) });
  const create = (taskId: string) =>
    calls.request(() => Promise.resolve(task(taskId, 'working')), { method: 'tools/call', params: {} }, []);
  turns.push(startTurn());
  for (let index = 0; index < 1024; index++) await create(`a${index}`);
  turns[0]?.end();
  turns.push(startTurn());
  await create('b');
  expect(recorder.events(turns[1]?.id ?? '')).toEqual(['turn.started', 'tool.started']);
});
