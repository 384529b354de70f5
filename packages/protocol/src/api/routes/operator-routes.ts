import type { z } from 'zod';
import { auditPage, auditQuery } from '../audit-document.ts';
import { muteRequest, orderRequest, thresholdRequest } from '../operator-requests.ts';
import type { ApiRoute } from '../route.ts';
import { turnDocument } from '../turn-schema.ts';

function order(
  name: string,
  summary: string,
  description: string,
  schema: z.ZodType,
  required = false,
): ApiRoute {
  return {
    method: 'post',
    path: `/v1/turns/:id/${name}`,
    tag: 'operators',
    summary,
    description: `${description} Audited.`,
    scopes: ['operate'],
    stability: 'stable',
    parameters: { id: 'The id of the turn' },
    body: { schema, required },
    answers: { 200: { description: 'The turn as it is now', schema: turnDocument } },
    errors: [
      'TURNWATCH_ERR_UNKNOWN_TURN',
      ...(name === 'acknowledge' ? [] : (['TURNWATCH_ERR_TURN_SETTLED'] as const)),
      'TURNWATCH_ERR_STORE_UNAVAILABLE',
    ],
  };
}

const audit: ApiRoute = {
  method: 'get',
  path: '/v1/audit',
  tag: 'operators',
  summary: 'what operators did, and what was done to endpoints: ?turn=&action=&limit=&cursor=',
  description: 'The newest first.',
  scopes: ['operate'],
  wholeOnly: true,
  stability: 'stable',
  query: auditQuery,
  answers: { 200: { description: 'A page of the audit', schema: auditPage } },
  errors: ['TURNWATCH_ERR_BAD_QUERY'],
};

export const operatorRoutes: Readonly<
  Record<
    'acknowledgeTurn' | 'muteTurn' | 'unmuteTurn' | 'closeTurn' | 'setTurnThreshold' | 'listAudit',
    ApiRoute
  >
> = {
  acknowledgeTurn: order(
    'acknowledge',
    'somebody has seen it',
    'Shown until the episode is over.',
    orderRequest,
  ),
  muteTurn: order(
    'mute',
    'tell nobody of it, for a while or until it is unmuted',
    'Verdicts stand and are shown. When the mute is over, a turn that is stale then is told of.',
    muteRequest,
  ),
  unmuteTurn: order('unmute', 'tell of it again', 'A turn that is stale by now is told of.', orderRequest),
  closeTurn: order(
    'close',
    'it is over, whatever its agent says',
    'The turn has ended with the outcome `closed`. Its later records do not open it again; a new attempt does.',
    orderRequest,
  ),
  setTurnThreshold: order(
    'threshold',
    'how long it may be silent, in the place of what was learned',
    'For one phase or all of them; null takes it back. Tool calls keep their grace, and a verdict that stands stays.',
    thresholdRequest,
    true,
  ),
  listAudit: audit,
};
