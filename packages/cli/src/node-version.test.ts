import { expect, test } from 'vitest';
import { nodeFault } from './node-version.ts';

test.each(['22.15.0', '22.22.1', '24.0.0', '26.1.0'])('Node %s will do', (version) => {
  expect(nodeFault(version)).toBeUndefined();
});

test.each(['18.20.0', '20.20.2', '22.14.9'])('Node %s is told what to do', (version) => {
  expect(nodeFault(version)).toContain(`22.15 or newer is needed, this is ${version}`);
});
