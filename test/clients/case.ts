import type { Script, Step } from '@turnwatch/testing/provider';
import type { Client, Flag, Quiet, Sight } from './client.ts';

/** What a client is put through, and what is right to say of it. */
export interface Case {
  readonly name: string;
  readonly what: string;
  /** Default: every client, in every way. */
  fits?(client: Client, sight: Sight): boolean;
  /** Answers to its requests; the last one is repeated. */
  answers(client: Client, sight: Sight): readonly [Script, ...Script[]];
  /** The answer to the sub-agent that it starts. */
  readonly subAgent?: Script;
  /** It gets this signal, with all that it has started, so long after so many chunks have been sent. */
  readonly signal?: {
    readonly name: 'SIGINT' | 'SIGKILL';
    readonly atChunk: number;
    readonly thenMs?: number;
  };
  /** Whether the client ends by itself, and how. Undefined: it hangs, or is killed. */
  readonly exits?: 'well' | 'in error' | 'anyhow';
  /** The tap is one with `--attended`. */
  readonly attended?: true;
  /** When it has been flagged it gets SIGINT: that is no recovery. */
  readonly givenUp?: true;
  /** When it has ended it is started again, goes on with the conversation, and ends well. */
  readonly resumes?: true;
  /** What is right to say in the end; of several turns the oldest first. Default: that it went well. */
  said?(sight: Sight): Flag | Quiet | readonly Quiet[];
}

const words = (count: number, gapMs: number): Step => ({
  do: 'text',
  text: Array.from({ length: count }, (_, index) => `word${index}`).join(' '),
  gapMs,
});
/** A stall, before the first word. */
const silent = ({ stall }: Sight): Flag | Quiet =>
  typeof stall === 'string' || stall.since === 'request'
    ? stall
    : { ...stall, phase: 'first_token', since: 'request' };
const healthyText: Script = [{ do: 'begin' }, { do: 'wait', ms: 2000 }, words(10, 500)];
/** Of 300 ms each: when the first records of every client have been sent. */
const lateChunk = 25;
/** When a provider that fails says to come again. */
export const retryAfterS = 2;
const refused: Script = [
  { do: 'wait', ms: 500 },
  { do: 'refuse', status: 500, retryAfterS },
];

export const cases: readonly Case[] = [
  {
    name: 'tool',
    what: 'a tool that is silent for 11 s, then a first token after 9 s (20 s where comments are seen)',
    answers: (client, { seesComments, wholeRequests }) => [
      [{ do: 'begin' }, words(4, 300), { do: 'tool', ...client.slowTool(11) }],
      [
        { do: 'begin' },
        {
          do: 'wait',
          ms: seesComments && client.breaksAtComments !== true ? 20_000 : 9000,
          ...(client.breaksAtComments === true ? {} : { keepaliveEveryMs: 2000 }),
        },
        words(12, wholeRequests === true ? 100 : 700),
      ],
    ],
    exits: 'well',
  },
  {
    name: 'text',
    what: 'an answer of ten words, the first after 2 s',
    answers: () => [healthyText],
    exits: 'well',
  },
  {
    name: 'retry',
    what: 'one error of the provider, then an answer whose first token takes 9 s',
    answers: () => [refused, [{ do: 'begin' }, { do: 'wait', ms: 9000 }, words(6, 500)]],
    exits: 'well',
  },
  {
    name: 'cut',
    what: 'the connection is cut after four words, and the client asks again',
    fits: ({ asksAgain }) => asksAgain === true,
    answers: () => [[{ do: 'begin' }, words(4, 500), { do: 'drop' }], healthyText],
    exits: 'well',
  },
  {
    name: 'silent',
    what: 'not one word',
    answers: () => [[{ do: 'begin' }, { do: 'stall' }]],
    said: (sight) => silent(sight),
  },
  {
    name: 'stall',
    what: 'silence for ever after four words',
    answers: () => [[{ do: 'begin' }, words(4, 500), { do: 'stall' }]],
    said: ({ stall }) => stall,
  },
  {
    name: 'tool-stall',
    what: 'a tool, and not one word of the answer after it',
    answers: (client) => [
      [{ do: 'begin' }, words(4, 300), { do: 'tool', ...client.slowTool(1) }],
      [{ do: 'begin' }, { do: 'stall' }],
    ],
    said: (sight) => silent(sight),
  },
  {
    name: 'given-up',
    what: 'silence after four words, and SIGINT when it has been flagged',
    fits: ({ canBeGivenUp }) => canBeGivenUp === true,
    answers: () => [[{ do: 'begin' }, words(4, 500), { do: 'stall' }]],
    attended: true,
    givenUp: true,
    said: ({ stall }) => stall,
  },
  {
    name: 'error',
    what: 'the provider fails until the client gives up',
    fits: (_, { error }) => error !== undefined,
    answers: () => [refused],
    exits: 'in error',
    said: ({ error, end }) => error ?? end,
  },
  {
    name: 'death',
    what: 'kill -9 of the client in the middle of an answer',
    answers: () => [[{ do: 'begin' }, words(200, 300)]],
    signal: { name: 'SIGKILL', atChunk: lateChunk },
    said: ({ death }) => death,
  },
  {
    name: 'tool-death',
    what: 'kill -9 while a tool runs',
    answers: (client) => [[{ do: 'begin' }, words(4, 300), { do: 'tool', ...client.slowTool(25) }]],
    // The call is a chunk too; the client takes a moment to start it, and its first records a while to be sent.
    signal: { name: 'SIGKILL', atChunk: 5, thenMs: 6000 },
    said: ({ deathInTool }) => deathInTool,
  },
  {
    name: 'interrupt',
    what: 'SIGINT in the middle of an answer',
    answers: () => [[{ do: 'begin' }, words(200, 300)]],
    fits: (_, { interrupt }) => interrupt !== undefined,
    signal: { name: 'SIGINT', atChunk: lateChunk },
    exits: 'anyhow',
    attended: true,
    said: ({ interrupt }) => interrupt ?? 'cancelled',
  },
  {
    name: 'resume',
    what: 'SIGINT in the middle of an answer, then the conversation goes on with another turn',
    answers: () => [[{ do: 'begin' }, words(200, 300)], healthyText],
    fits: (_, { abandoned }) => abandoned !== undefined,
    signal: { name: 'SIGINT', atChunk: lateChunk },
    exits: 'in error',
    resumes: true,
    said: ({ abandoned, end }) => [abandoned ?? 'unknown', end],
  },
  {
    name: 'compact',
    what: 'in the middle of a turn its history is compacted, with a first token after 9 s',
    fits: ({ compactsAfterWords }) => compactsAfterWords !== undefined,
    answers: (client) => [
      [words((client.compactsAfterWords ?? 0) + 100, 0), { do: 'tool', ...client.slowTool(1) }],
      [{ do: 'begin' }, { do: 'wait', ms: 9000 }, words(5, 200)],
      [{ do: 'begin' }, { do: 'wait', ms: 1000 }, words(5, 200)],
    ],
    exits: 'well',
  },
  {
    name: 'sub-agent',
    what: 'it starts a sub-agent, which ends while its parent goes on',
    fits: ({ subAgent }) => subAgent !== undefined,
    answers: ({ subAgent, slowTool }) => [
      [{ do: 'begin' }, ...(subAgent === undefined ? [] : [{ do: 'tool' as const, ...subAgent.start }])],
      [{ do: 'begin' }, { do: 'tool', ...slowTool(6) }],
      healthyText,
    ],
    subAgent: [{ do: 'begin' }, words(8, 300)],
    exits: 'well',
    said: ({ end }) => [end, end],
  },
];
