import type { BaselineView, Registry } from '@turnwatch/core';
import { type BaselineList, exclusionRequest, toBaselineDocument } from '@turnwatch/protocol';
import type { Request, RequestHandler, Response } from 'express';
import { callerOf } from './access.ts';
import { readBody } from './body.ts';
import type { OperatorRoutesOptions } from './operators.ts';
import { sendProblem } from './problem.ts';
import { requestIdOf } from './request-id.ts';

export interface BaselineRoutes {
  readonly listBaselines: RequestHandler;
  readonly getBaseline: RequestHandler;
  readonly excludeGap: RequestHandler;
  readonly includeGap: RequestHandler;
}

type Options = Pick<OperatorRoutesOptions, 'registry' | 'now' | 'command' | 'logger'>;

/** `/v1/baselines` and what is below it. */
export function baselineRoutes(options: Options): BaselineRoutes {
  const { registry } = options;
  return {
    listBaselines: (_request, response) => {
      const baselines = registry().baselines().map(toBaselineDocument);
      response.json({ baselines } satisfies BaselineList);
    },
    getBaseline: (request, response) => {
      const view = known(registry(), request, response);
      if (view !== undefined) response.json(toBaselineDocument(view));
    },
    excludeGap: (request, response) => {
      const view = known(registry(), request, response);
      if (view === undefined) return;
      const body = readBody(request, response, exclusionRequest);
      if (body !== undefined) exempt(options, view, body.turn, 'exclude', body.why ?? null, response);
    },
    includeGap: (request, response) => {
      const view = known(registry(), request, response);
      if (view === undefined) return;
      exempt(options, view, String(request.params.turn), 'include', null, response);
    },
  };
}

function exempt(
  { registry, now, command, logger }: Options,
  { key }: BaselineView,
  turn: string,
  what: 'exclude' | 'include',
  why: string | null,
  response: Response,
): void {
  const by = callerOf(response);
  const done = command(({ learned }) => learned.exempt(key, turn, what), {
    atMs: now().wallMs,
    by,
    action: `baseline.${what}`,
    turn,
    baseline: key,
    why,
    details: {},
    requestId: requestIdOf(response) ?? null,
  });
  const view = viewOf(registry(), key);
  if (!done || view === undefined) {
    sendProblem(response, {
      code: 'TURNWATCH_ERR_UNKNOWN_GAP',
      detail:
        what === 'exclude'
          ? 'The turn’s gap is not among "largestGaps" of this key.'
          : 'The turn’s gap is not among "excluded" of this key.',
    });
    return;
  }
  logger.info({ baseline: key, turn, by, why }, `an operator had a gap ${what}d`);
  response.json(toBaselineDocument(view));
}

function known(registry: Registry, request: Request, response: Response): BaselineView | undefined {
  const view = viewOf(registry, String(request.params.key));
  if (view === undefined)
    sendProblem(response, {
      code: 'TURNWATCH_ERR_UNKNOWN_BASELINE',
      detail: 'No healthy turn has taught this key; see GET /v1/baselines.',
    });
  return view;
}

function viewOf(registry: Registry, key: string): BaselineView | undefined {
  return registry.baselines().find((view) => view.key === key);
}
