import { expect, test } from 'vitest';
import { reportTo } from './reporting.ts';

const quiet = { out: () => undefined, err: () => undefined };

test('where it tells is shown without credentials', () => {
  const shown = reportTo('tap', { endpoint: 'http://u:geheim@127.0.0.1:1/x' }, {}, quiet);
  expect(shown).toBe('http://…@127.0.0.1:1/x');
  expect(() => reportTo('tap', { endpoint: 'htp://u:geheim@h' }, {}, quiet)).toThrow('not "htp://…@h"');
});
