import type { z } from 'zod';
import { webhookEvent } from '../event/schema.ts';
import { answerOf, commonProblems, parametersOf, problemAnswers } from './openapi-operation.ts';
import { type SchemaRefs, schemaRefs } from './openapi-schemas.ts';
import type { ApiRoute } from './route.ts';
import { apiRoutes } from './routes.ts';

export interface OpenApiOptions {
  /** Of the detector. */
  readonly version: string;
}

/** A JSON object of the document. */
export type OpenApiObject = Readonly<Record<string, unknown>>;

/** The HTTP API as an OpenAPI 3.1 document, made of the table of routes. */
export function openApi({ version }: OpenApiOptions): OpenApiObject {
  const answers = schemaRefs('output', answerSchemas());
  const bodies = schemaRefs('input', bodySchemas());
  const paths: Record<string, Record<string, OpenApiObject>> = {};
  for (const [operationId, route] of Object.entries(apiRoutes)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(operationId, route, answers, bodies) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Turnwatch detector',
      version,
      description:
        'Which turns of agents are alive, which have stopped, and who was told. Instants are ISO 8601 in UTC, durations whole ' +
        'milliseconds. Fields are only ever added: take what you do not know.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(Object.values(apiRoutes).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: {
      event: {
        post: {
          operationId: 'receiveEvent',
          summary: 'What endpoints are sent: a CloudEvents 1.0 document, signed as Standard Webhooks are',
          requestBody: {
            required: true,
            content: { 'application/json': { schema: answers.of(webhookEvent) } },
          },
          responses: { '2XX': { description: 'Taken' }, 410: { description: 'Gone: nothing more is sent' } },
        },
      },
    },
    components: {
      schemas: { ...answers.schemas, ...bodies.schemas },
      responses: problemAnswers(answers),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of `detector.tokens`. Not needed where none are configured.',
        },
      },
    },
  };
}

function operation(
  operationId: string,
  route: ApiRoute,
  answers: SchemaRefs,
  bodies: SchemaRefs,
): OpenApiObject {
  const { summary, description, tag, scopes, stability, body } = route;
  const parameters = parametersOf(route);
  const responses = Object.fromEntries([
    ...Object.entries(route.answers).map(([status, answer]) => [status, answerOf(answer, answers)]),
    ...commonProblems(route),
  ]);
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(stability === 'stable' ? {} : { 'x-stability': stability }),
    security:
      scopes === 'open' ? [] : [...new Set([...scopes, 'admin'])].map((scope) => ({ bearer: [scope] })),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.otlp === true
      ? {
          requestBody: {
            required: true,
            content: {
              'application/x-protobuf': { schema: {} },
              'application/json': { schema: { type: 'object' } },
            },
          },
        }
      : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required,
            content: { 'application/json': { schema: bodies.of(body.schema) } },
          },
        }),
    responses,
  };
}

function answerSchemas(): z.ZodType[] {
  return [
    ...Object.values(apiRoutes).flatMap(({ answers }) =>
      Object.values(answers).flatMap(({ schema }) => (schema === undefined ? [] : [schema])),
    ),
    webhookEvent,
  ];
}

function bodySchemas(): z.ZodType[] {
  return Object.values(apiRoutes).flatMap(({ body }) => (body === undefined ? [] : [body.schema]));
}
