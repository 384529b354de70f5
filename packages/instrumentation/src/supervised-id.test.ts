import { expect, it } from 'vitest';
import { supervisedId } from './supervised-id.ts';

const env = { TURNWATCH_PROCESS_ID: 'p7', TURNWATCH_SUPERVISOR_PID: '41' };

it('is taken by the direct child of the supervisor alone: a grandchild inherits the environment too', () => {
  expect(supervisedId(env, 41)).toBe('p7');
  expect(supervisedId(env, 42)).toBeUndefined();
  expect(supervisedId({ TURNWATCH_PROCESS_ID: 'p7' }, 41)).toBeUndefined();
  expect(supervisedId({ ...env, TURNWATCH_PROCESS_ID: '' }, 41)).toBeUndefined();
});
