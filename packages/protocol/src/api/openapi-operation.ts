import type { OpenApiObject } from './openapi.ts';
import { jsonSchemaOf, type SchemaRefs } from './openapi-schemas.ts';
import { problem, problemContentType } from './problem.ts';
import { type ProblemCode, problemKinds } from './problem-codes.ts';
import type { ApiRoute, RouteAnswer } from './route.ts';

export function parametersOf({ path, parameters, query, headers }: ApiRoute): OpenApiObject[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: parameters?.[name] ?? name,
    schema: { type: 'string', minLength: 1 },
  }));
  const inHeader = Object.entries(headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  if (query === undefined) return [...inPath, ...inHeader];
  const { properties = {}, required = [] } = jsonSchemaOf(query, 'input') as {
    properties?: Record<string, { description?: string }>;
    required?: readonly string[];
  };
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

export function answerOf({ description, schema, types }: RouteAnswer, refs: SchemaRefs): OpenApiObject {
  const kinds = types ?? (schema === undefined ? [] : ['application/json']);
  if (kinds.length === 0) return { description };
  const content = kinds.map((type) => [
    type,
    {
      schema: type !== 'application/json' ? { type: 'string' } : schema === undefined ? {} : refs.of(schema),
    },
  ]);
  return { description, content: Object.fromEntries(content) };
}

/** Errors that any route may answer with, by what is checked before it. */
function codesOf(route: ApiRoute): readonly ProblemCode[] {
  const own = route.errors ?? [];
  return [
    ...own,
    ...(route.path.includes(':') ? (['TURNWATCH_ERR_BAD_PATH'] as const) : []),
    ...(route.body === undefined
      ? []
      : ([
          'TURNWATCH_ERR_BAD_BODY',
          'TURNWATCH_ERR_BODY_TOO_LARGE',
          'TURNWATCH_ERR_UNSUPPORTED_MEDIA_TYPE',
        ] as const)),
    ...(route.scopes === 'open' ? [] : (['TURNWATCH_ERR_UNAUTHORIZED', 'TURNWATCH_ERR_FORBIDDEN'] as const)),
    'TURNWATCH_ERR_FOREIGN_HOST',
    'TURNWATCH_ERR_FOREIGN_ORIGIN',
    'TURNWATCH_ERR_TOO_MANY_REQUESTS',
    'TURNWATCH_ERR_INTERNAL',
  ];
}

/** The refusals of a route by status. A status that it answers with itself stays what it is. */
export function commonProblems(route: ApiRoute): [string, OpenApiObject][] {
  if (route.otlp === true)
    return [['default', { description: 'Refused: a `google.rpc.Status` in the type of the request' }]];
  const statuses = new Set(codesOf(route).map((code) => problemKinds[code].status));
  return [...statuses]
    .filter((status) => !(status in route.answers))
    .sort((one, other) => one - other)
    .map((status) => [String(status), { $ref: `#/components/responses/${responseName(status)}` }]);
}

/** One response a status: the codes it may carry. */
export function problemAnswers(refs: SchemaRefs): Record<string, OpenApiObject> {
  const codes = Object.keys(problemKinds) as ProblemCode[];
  const statuses = new Set(codes.map((code) => problemKinds[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      responseName(status),
      {
        description: codes
          .filter((code) => problemKinds[code].status === status)
          .map((code) => `\`${code}\`: ${problemKinds[code].title}.`)
          .join(' '),
        content: { [problemContentType]: { schema: refs.of(problem) } },
      },
    ]),
  );
}

function responseName(status: number): string {
  return `Problem${status}`;
}
