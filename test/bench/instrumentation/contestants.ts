/** One way to run the same streaming loop, in a process of its own. */
export interface Contestant {
  readonly title: string;
  readonly whose: 'nobody' | 'ours' | 'others';
  /** What it is in, if it is not ours. */
  readonly packageName?: string;
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** It makes none: the spans of another instrumentation stand beside it. */
  readonly noSpans?: boolean;
  /** It sees only what goes through a socket. */
  readonly needsSocket?: boolean;
}

export type ContestantName =
  | 'plain'
  | 'byHand'
  | 'liveness'
  | 'observeFetch'
  | 'tapUndici'
  | 'register'
  | 'opentelemetry'
  | 'openllmetry'
  | 'openinference';

/** The first one is what the others are compared with. */
export const contestants: Readonly<Record<ContestantName, Contestant>> = {
  plain: { title: 'uninstrumented', whose: 'nobody' },
  byHand: { title: 'Turnwatch, turn.request() and chunk()', whose: 'ours' },
  liveness: {
    title: 'Turnwatch, by hand, spans off',
    whose: 'ours',
    env: { TURNWATCH_SPANS: 'off' },
    noSpans: true,
  },
  observeFetch: { title: 'Turnwatch, observeFetch()', whose: 'ours' },
  tapUndici: { title: 'Turnwatch, tapUndici()', whose: 'ours', needsSocket: true },
  register: {
    title: 'Turnwatch, --import register',
    whose: 'ours',
    needsSocket: true,
    execArgv: ['--import', '@turnwatch/instrumentation/register'],
  },
  opentelemetry: {
    title: 'OpenTelemetry',
    whose: 'others',
    packageName: '@opentelemetry/instrumentation-openai',
  },
  openllmetry: { title: 'OpenLLMetry', whose: 'others', packageName: '@traceloop/instrumentation-openai' },
  openinference: {
    title: 'OpenInference',
    whose: 'others',
    packageName: '@arizeai/openinference-instrumentation-openai',
  },
};

export const contestantNames: readonly ContestantName[] = Object.keys(contestants) as ContestantName[];
