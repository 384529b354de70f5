import { baselineDocument, baselineList } from '../baseline-document.ts';
import { noQuery } from '../no-query.ts';
import { exclusionRequest } from '../operator-requests.ts';
import type { ApiRoute } from '../route.ts';

const common = { tag: 'baselines', stability: 'stable', wholeOnly: true } as const;
const key = { key: 'The key, encoded as a part of a path: `openai%7Cgpt-5%7Ctext`' };
const answers = { 200: { description: 'What the key has learned', schema: baselineDocument } };

const list: ApiRoute = {
  ...common,
  method: 'get',
  path: '/v1/baselines',
  summary: 'what was learned of healthy turns, and what judges by it',
  scopes: ['read'],
  query: noQuery,
  answers: { 200: { description: 'All keys', schema: baselineList } },
  errors: ['TURNWATCH_ERR_BAD_QUERY'],
};

const get: ApiRoute = {
  ...common,
  method: 'get',
  path: '/v1/baselines/:key',
  summary: 'one key of it',
  scopes: ['read'],
  parameters: key,
  answers,
  errors: ['TURNWATCH_ERR_UNKNOWN_BASELINE'],
};

const exclude: ApiRoute = {
  ...common,
  method: 'post',
  path: '/v1/baselines/:key/exclusions',
  summary: 'one turn’s gap is no example',
  description: 'The gap no longer decides; the turn stays a sample. Audited.',
  scopes: ['operate'],
  parameters: key,
  body: { schema: exclusionRequest, required: true },
  answers,
  errors: ['TURNWATCH_ERR_UNKNOWN_BASELINE', 'TURNWATCH_ERR_UNKNOWN_GAP', 'TURNWATCH_ERR_STORE_UNAVAILABLE'],
};

const include: ApiRoute = {
  ...common,
  method: 'delete',
  path: '/v1/baselines/:key/exclusions/:turn',
  summary: 'it is one after all',
  description: 'Audited.',
  scopes: ['operate'],
  parameters: { ...key, turn: 'The turn whose gap was excluded' },
  answers,
  errors: ['TURNWATCH_ERR_UNKNOWN_BASELINE', 'TURNWATCH_ERR_UNKNOWN_GAP', 'TURNWATCH_ERR_STORE_UNAVAILABLE'],
};

export const baselineRoutes: Readonly<
  Record<'listBaselines' | 'getBaseline' | 'excludeGap' | 'includeGap', ApiRoute>
> = { listBaselines: list, getBaseline: get, excludeGap: exclude, includeGap: include };
