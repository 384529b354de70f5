import type { Dialect, ModelRequest } from '@turnwatch/testing/provider';

/**
 * How the detector learns of a client: from its own telemetry, from `--import @turnwatch/instrumentation/register`, or from
 * `turnwatch tap` before its model API.
 */
export const ways = ['telemetry', 'register', 'tap'] as const;
export type Way = (typeof ways)[number];

/** What a client is started with. */
export interface Setting {
  readonly way: Way;
  /** The folder that its packages are installed in. */
  readonly installed: string;
  /** Its home, its own and empty; also where it works. */
  readonly home: string;
  /** Of the model API, without a path: the scripted provider's address, or the tap's. */
  readonly api: string;
  /** Of the detector's receiver, without a path. */
  readonly detector: string;
  /** It has to ask for this one: requests and turns are told apart by it. */
  readonly model: string;
  /** It has worked here before, and is to go on with that conversation. */
  readonly resumes: boolean;
}

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** In addition to PATH and HOME. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How a turn that has stopped is judged: in which phase, and since when it is silent. */
export interface Flag {
  readonly phase: 'first_token' | 'text' | 'non_streaming' | 'agent' | 'tool';
  readonly since: 'request' | 'chunk' | 'error' | 'signal';
  /** The last record of a client that ends may never be sent: then it is silent since the error before. */
  readonly lastMayBeLost?: boolean;
  /** What the client may be waiting for before its silence counts, ms. */
  readonly waitsMs?: number;
  /** It may also get its word out: then it is cancelled, and nobody is told. */
  readonly orCancelled?: boolean;
  /** Default: as the phase has it. This one is found when heartbeats stay away. */
  readonly reason?: 'process_unreachable';
}

/**
 * What is known of a turn that is not flagged. Idle: nothing tells of its end. Unseen: the detector never hears of it.
 * Unknown: it has ended, and nothing tells how. Stopped: that, or cancelled where the client gets its word out.
 */
export type Quiet = 'completed' | 'failed' | 'cancelled' | 'unknown' | 'stopped' | 'idle' | 'unseen';

/** What can be known of a client in one way, and so what is right to say of it. */
export interface Sight {
  /** Longest time that records are held back before they are sent, ms: thresholds grow by it. 0: heartbeats prove silence. */
  readonly heldBackMs: number;
  /** Whether SSE comments are seen: then a first token may take longer than its threshold. */
  readonly seesComments: boolean;
  /** What a turn that went well is in the end. */
  readonly end: 'completed' | 'idle';
  /** The stream stops. */
  readonly stall: Flag | Quiet;
  /** The provider fails until the client gives up. Undefined: it tries for minutes, each time after a longer while. */
  readonly error?: Flag | Quiet;
  /** The client is killed in the middle of a stream. */
  readonly death: Flag | Quiet;
  /** It is killed while it runs a tool. */
  readonly deathInTool: Flag | Quiet;
  /**
   * Somebody stops it (SIGINT) in the middle of a stream; the tap is one with `--attended` then. Undefined: it does not
   * handle that, and ends as any process does.
   */
  readonly interrupt?: Flag | Quiet;
  /** What a turn is that was stopped like that, when its conversation goes on. Undefined: it does not go on. */
  readonly abandoned?: Quiet;
  /** Nothing ties one request to the next: each is a turn. */
  readonly turnPerRequest?: boolean;
  /** A request is told when it begins and when it has ended: all of it has to fit the threshold of its first token. */
  readonly wholeRequests?: boolean;
}

/** A client that people run, as it comes from npm. One file each. */
export interface Client {
  /** On the command line, and of its page in docs/clients. */
  readonly name: string;
  readonly version: string;
  /** What is installed: names and exact versions. */
  readonly packages: Readonly<Record<string, string>>;
  /** The name of a client with the same packages. */
  readonly installedAs?: string;
  readonly dialect: Dialect;
  readonly sight: Readonly<Partial<Record<Way, Sight>>>;
  /** Whether an SSE comment in its stream breaks it. */
  readonly breaksAtComments?: boolean;
  /** Whether somebody who stops it ends a turn in good order, also one that has been flagged. */
  readonly canBeGivenUp?: boolean;
  /** Cases that it is not put through. */
  readonly leavesOut?: readonly string[];
  /** Whether it asks again when a stream is cut. */
  readonly asksAgain?: boolean;
  /** It compacts its history, in the middle of a turn, after so many words. */
  readonly compactsAfterWords?: number;
  /** The call of a tool that is busy for so long and prints nothing. */
  slowTool(seconds: number): { readonly name: string; readonly args: object };
  /** The call that starts a sub-agent, and whether a request is its own. */
  readonly subAgent?: {
    readonly start: { readonly name: string; readonly namespace?: string; readonly args: object };
    isIts(request: ModelRequest): boolean;
  };
  /** The conversation that it is given. For those whose first records do not name the model, which tells turns apart else. */
  conversation?(model: string): string;
  launch(setting: Setting): Launch;
}
