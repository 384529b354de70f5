import { z } from 'zod';
import { type EventType, eventTypes } from './event-types.ts';
import { map, must, text } from './words.ts';

/** An endpoint as written: its secret given directly, as a list while it is being changed, or by a variable's name. */
export interface EndpointInput {
  readonly id: string;
  readonly url: string;
  readonly secret?: string;
  readonly secrets?: readonly string[];
  readonly secretEnv?: string;
  /** Only events about these. Without it: a default endpoint, told when no other fits. */
  readonly match?: {
    /** The agent or turn that is to be told: the nearest open ancestor of the turn. */
    readonly parent?: string;
    readonly conversation?: string;
    readonly agent?: string;
    readonly service?: string;
  };
  readonly types?: readonly EventType[];
  readonly bearer?: string;
  readonly bearerEnv?: string;
  readonly contentType?: 'application/json' | 'application/cloudevents+json';
  /** Networks of one's own that the endpoint may be in, as `10.0.0.0/8`. Default none. */
  readonly allowPrivate?: readonly string[];
}

export const endpointMatch: z.ZodType<NonNullable<EndpointInput['match']>> = z
  .strictObject(
    {
      parent: text.exactOptional(),
      conversation: text.exactOptional(),
      agent: text.exactOptional(),
      service: text.exactOptional(),
    },
    map,
  )
  .refine((fields) => Object.keys(fields).length > 0, {
    error: 'needs one of parent, conversation, agent, service; leave match out for a default endpoint',
  });

export const endpointTypes: z.ZodType<NonNullable<EndpointInput['types']>> = z
  .array(z.enum(eventTypes, must(`one of ${eventTypes.join(', ')}`)), must('a list of event types'))
  .min(1, must('at least one event type'));

export const endpointSchema: z.ZodType<EndpointInput> = z
  .strictObject(
    {
      id: z
        .string(must('a name'))
        .regex(/^[A-Za-z0-9_-]{1,64}$/, must('a name of 1 to 64 letters, digits, "_" or "-"')),
      url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
      secret: text.exactOptional(),
      secrets: z.array(text, must('a list of secrets, newest first')).min(1).exactOptional(),
      secretEnv: text.exactOptional(),
      match: endpointMatch.exactOptional(),
      types: endpointTypes.exactOptional(),
      bearer: text.exactOptional(),
      bearerEnv: text.exactOptional(),
      contentType: z
        .enum(
          ['application/json', 'application/cloudevents+json'],
          must('application/json or application/cloudevents+json'),
        )
        .exactOptional(),
      allowPrivate: z.array(text, must('a list of networks, as 10.0.0.0/8')).exactOptional(),
    },
    must('a map with at least id, url and a secret'),
  )
  .refine(
    (given) => [given.secret, given.secrets, given.secretEnv].filter((one) => one !== undefined).length === 1,
    {
      error:
        'needs exactly one of secret, secrets or secretEnv; make a secret with: ' +
        `node -p "'whsec_' + require('crypto').randomBytes(32).toString('base64')"`,
      params: { drops: ['secret'] },
    },
  )
  .refine((given) => given.bearer === undefined || given.bearerEnv === undefined, {
    error: 'takes bearer or bearerEnv, not both',
    params: { drops: ['bearer', 'bearerEnv'] },
  });
