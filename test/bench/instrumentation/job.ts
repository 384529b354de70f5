/** What the parent asks a child for. One at a time. */
export type Job =
  | {
      readonly kind: 'streams';
      /** By the real fetch, or as if it had answered. */
      readonly from: 'socket' | 'memory';
      readonly streams: number;
      readonly chunks: number;
    }
  | { readonly kind: 'own'; readonly streams: number; readonly chunks: number }
  | { readonly kind: 'paced'; readonly chunks: number; readonly perSecond: number }
  | { readonly kind: 'api'; readonly calls: number }
  | { readonly kind: 'tap'; readonly calls: number };

/** CPU of the agent's own thread. */
export interface StreamsDone {
  readonly streamsUs: number;
  /** For the export of the spans of all of them. */
  readonly exportUs: number;
  readonly spans: number;
}

export interface PacedDone {
  /** CPU of all threads but the server's, a second. */
  readonly cpuUsPerSecond: number;
  readonly deliveredPerSecond: number;
}

/** ns a call, by what was called with. */
export type CallsDone = Readonly<Record<string, number>>;

export interface DoneOf {
  readonly streams: StreamsDone;
  /** What ran of the instrumentation's own code, with the export of the spans, us. Without a socket. */
  readonly own: number;
  readonly paced: PacedDone;
  readonly api: CallsDone;
  readonly tap: CallsDone;
}

export type Answer =
  | { readonly type: 'ready' }
  /** It cannot take part. */
  | { readonly type: 'unfit'; readonly reason: string }
  | { readonly type: 'done'; readonly done: DoneOf[Job['kind']] };
