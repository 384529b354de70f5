import { Validator } from '@seriousme/openapi-schema-validator';
import { makePolicy, Registry } from '@turnwatch/core';
import { apiRoutes, type OpenApiObject, problemKinds } from '@turnwatch/protocol';
import type { Express } from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Tokens } from '../access/tokens.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { type AppOptions, createApp } from './app.ts';

let running: RunningDetector;
let document: OpenApiObject;
beforeAll(async () => {
  running = await runDetector();
  document = (await running.json('/openapi.json')).body;
});
afterAll(() => running.detector.stop());

interface Operation {
  readonly operationId: string;
  readonly security: readonly { readonly bearer: readonly string[] }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

function operations(): [string, Operation][] {
  const paths = document.paths as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  );
}

/** What Express itself answers, wherever it was bound. */
function boundRoutes(app: Express): string[] {
  return app.router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const methods = new Set(route.stack.map(({ method }) => method).filter((method) => method !== undefined));
    // Those without a method answer 405.
    return [...methods].map((method) => `${method} ${String(route.path)}`);
  });
}

describe('the description of the API', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator({ strict: false });
    const { valid, errors } = await validator.validate(structuredClone(document) as Record<string, unknown>);
    expect(errors).toBeUndefined();
    expect([valid, validator.version]).toEqual([true, '3.1']);
    // A reference that leads nowhere is valid by the schema alone.
    const text = JSON.stringify(document);
    for (const [, place = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = place
        .split('/')
        .reduce<unknown>((at, key) => (at as OpenApiObject | undefined)?.[key], document);
      expect(found, place).toBeDefined();
    }
  });

  test('has every route of the app, and the app every route of it', () => {
    const now = { awakeMs: 0, bootMs: 0, wallMs: 0 };
    const app = createApp({
      registry: () => new Registry(makePolicy({}), now),
      access: { tokens: new Tokens([]) },
      names: () => ({ host: '127.0.0.1', allowedHosts: [] }),
      endpoints: {},
      screen: {},
      deliveries: {},
      receiver: {},
      metrics: () => undefined,
    } as unknown as AppOptions);
    const described = operations().map(([place]) => place.replaceAll(/\{(\w+)\}/g, ':$1'));
    const otlp = Object.values(apiRoutes).filter((route) => route.otlp === true);
    const judgeThemselves = otlp.map(({ method, path }) => `${method} ${path}`);
    expect([...boundRoutes(app), ...judgeThemselves].sort()).toEqual(described.sort());
  });

  test('names scopes for everything but what load balancers and descriptions need', () => {
    const open = operations().filter(([, { security }]) => security.length === 0);
    expect(open.map(([place]) => place).sort()).toEqual([
      'get /errors',
      'get /healthz',
      'get /openapi.json',
      'get /readyz',
    ]);
  });

  test('every operation has a name of its own', () => {
    const names = operations().map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  test('every other method on every path is told which ones there are', async () => {
    const methods = new Map<string, string[]>();
    for (const { method, path, otlp } of Object.values(apiRoutes))
      if (otlp !== true) methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
    for (const [path, allowed] of methods) {
      const answer = await fetch(`${running.url}${path.replace(':id', 'x')}`, { method: 'PATCH' });
      expect([answer.status, await answer.json()], path).toMatchObject([
        405,
        { code: 'TURNWATCH_ERR_METHOD_NOT_ALLOWED' },
      ]);
      const allow = answer.headers
        .get('allow')
        ?.split(', ')
        .filter((method) => method !== 'HEAD');
      expect(allow, path).toEqual(allowed);
    }
  });
});

describe('the page of errors', () => {
  test('has the anchor that every problem’s type leads to', async () => {
    const page = await (await fetch(`${running.url}/errors`)).text();
    for (const code of Object.keys(problemKinds)) expect(page).toContain(`<h2 id="${code}">`);
    const { body } = await running.json('/v1/turns/nobody');
    const { hash, pathname } = new URL(String(body.type), running.url);
    expect([pathname, hash]).toEqual(['/errors', '#TURNWATCH_ERR_UNKNOWN_TURN']);
  });
});
