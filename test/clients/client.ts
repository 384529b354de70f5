import type { Dialect, ModelRequest, Script } from '@turnwatch/testing/provider';

/** How the detector learns of a client: from its own telemetry, or from `turnwatch tap` before its model API. */
export type Way = 'telemetry' | 'tap';

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
}

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** In addition to PATH and HOME. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How a turn that has stopped is judged: in which phase, and since when it is silent. */
export interface Flag {
  readonly phase: 'first_token' | 'text' | 'agent' | 'tool';
  readonly since: 'request' | 'chunk' | 'error' | 'signal';
  /** The last record of a client that ends may never be sent: then it is silent since the error before. */
  readonly lastMayBeLost?: boolean;
  /** What the client may be waiting for before its silence counts, ms. */
  readonly waitsMs?: number;
}

/** What can be known of a client in one way, and so what is right to say of it. */
export interface Sight {
  /** Longest time that records are held back before they are sent, ms: thresholds grow by it. 0: heartbeats prove silence. */
  readonly heldBackMs: number;
  /** Whether SSE comments are seen: then a first token may take longer than its threshold. */
  readonly seesComments: boolean;
  /** What a turn that went well is in the end; idle: nothing tells of its end. */
  readonly end: 'completed' | 'idle';
  /** The stream stops. */
  readonly stall: Flag;
  /** The provider fails until the client gives up. */
  readonly error: Flag;
  /** The client is killed in the middle of a stream. */
  readonly death: Flag;
  /** It is killed while it runs a tool. Undefined: a running tool looks like the end of a turn, and is never flagged. */
  readonly deathInTool?: Flag;
  /**
   * Somebody stops it (SIGINT) in the middle of a stream; the tap is one with `--attended` then. Undefined: it is told that
   * this was no stall, and nobody is.
   */
  readonly interrupt?: Flag;
}

/** A client that people run, as it comes from npm. One file each. */
export interface Client {
  /** On the command line, and of its page in docs/clients. */
  readonly name: string;
  readonly version: string;
  /** What is installed: names and exact versions. */
  readonly packages: Readonly<Record<string, string>>;
  readonly dialect: Dialect;
  readonly sight: Readonly<Partial<Record<Way, Sight>>>;
  /** Whether an SSE comment in its stream breaks it. */
  readonly breaksAtComments?: boolean;
  /** It compacts its history, in the middle of a turn, after so many words. */
  readonly compactsAfterWords?: number;
  /** The call of a tool that is busy for so long and prints nothing. */
  slowTool(seconds: number): { readonly name: string; readonly args: object };
  /** What is answered to requests beside those of the turn: for titles, routing and the like. Undefined: it is the turn's. */
  aside?(request: ModelRequest): Script | undefined;
  launch(setting: Setting): Launch;
}
