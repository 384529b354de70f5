import type { z } from 'zod';
import type { ProblemCode } from './problem-codes.ts';
import type { TokenScope } from './token-scope.ts';

/** What a route answers with one status. */
export interface RouteAnswer {
  readonly description: string;
  /** Absent: no body, or one that JSON does not describe. */
  readonly schema?: z.ZodType;
  /** Default `application/json` where there is a schema, none where there is not. */
  readonly types?: readonly string[];
}

/**
 * One route of the detector's HTTP API. The router's access checks, the index, the body of a 404 and `GET /openapi.json`
 * are made of these.
 */
export interface ApiRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** As Express writes it: `/v1/turns/:id`. */
  readonly path: string;
  readonly tag: string;
  /** Half a line, for the index. */
  readonly summary: string;
  readonly description?: string;
  /** Who may ask: one of these scopes (or `admin`). `open`: everybody, for load balancers and descriptions. */
  readonly scopes: readonly TokenScope[] | 'open';
  /** What is behind it knows no parents: a token that is bound to one is refused. */
  readonly wholeOnly?: boolean;
  /** OTLP: it judges methods and tokens itself and refuses in OTLP's own form. */
  readonly otlp?: boolean;
  readonly stability: 'stable' | 'experimental';
  /** What the parts of the path are. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Headers that change the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the query, from strings. Absent: the query is not looked at. */
  readonly query?: z.ZodType;
  /** Reads a JSON body. */
  readonly body?: { readonly schema: z.ZodType; readonly required: boolean };
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Beside those that every route may answer with. */
  readonly errors?: readonly ProblemCode[];
}
