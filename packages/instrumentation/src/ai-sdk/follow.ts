import { tracingChannel } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers';
import * as api from '@opentelemetry/api';
import { type RequestSource, requestSource } from '../framework/request-source.ts';
import { currentTurn, type StartOptions } from '../instrumentation.ts';
import { AiCall } from './ai-call.ts';
import { type Held, hold } from './held.ts';
import { type ChannelMessage, isMessage, toolFailure } from './message.ts';
import { ModelCall } from './model-call.ts';
import { type Scope, scopes } from './scope.ts';

/** What is known of a call when it starts. */
export interface AiSdkCall {
  readonly operation: 'generateText' | 'streamText';
  readonly callId: string;
  readonly provider?: string | undefined;
  readonly modelId?: string | undefined;
  /** `telemetry.functionId` of the call. */
  readonly functionId?: string | undefined;
}

export interface FollowOptions {
  /** Options of the turn that a call becomes when it is made outside of any. Default: agent, provider and model of the call. */
  readonly turn?: ((call: AiSdkCall) => StartOptions) | undefined;
  /**
   * Who opens the requests. `observer`: `observeFetch` or the tap under the client does. Default: `observer` where a
   * process-wide one is at work, else `own`.
   */
  readonly requests?: RequestSource | undefined;
}

/** Calls remembered at most; the oldest goes first. One is forgotten at its end. */
const maxCalls = 10_000;

const channelName = 'ai:telemetry';
/** One follower a process: two of them, or one of another copy of this package, would count every call twice. */
const followerMark: symbol = Symbol.for('turnwatch.follows.ai-sdk');

/**
 * Follows every `generateText` and `streamText` of this process through the AI SDK's tracing channel: a call outside of
 * any turn becomes one, and a call inside of the tool of another becomes its child; elsewhere its requests and tools
 * belong to the current turn. Throws nothing into the SDK.
 *
 * @returns what stops it. Calls under way are then no longer followed; their turns end as `unknown`.
 */
export function followAiSdk(options: FollowOptions = {}): () => void {
  const other: unknown = Reflect.get(globalThis, followerMark);
  // What was started without a line of the agent's code gives way to a line of it.
  if (other instanceof Standby) other.stop();
  else if (other !== undefined) {
    api.diag.warn(
      'turnwatch: the AI SDK is followed already in this process; this followAiSdk() does nothing',
    );
    return () => undefined;
  }
  return follow(options, true);
}

/** As {@link followAiSdk} without options, until the agent calls that itself. For a start without code. */
export function standByForAiSdk(): void {
  if (Reflect.get(globalThis, followerMark) !== undefined) return;
  const standby = new Standby();
  standby.stop = follow({}, standby);
}

class Standby {
  stop: () => void = () => undefined;
}

function follow(options: FollowOptions, mark: unknown): () => void {
  Reflect.set(globalThis, followerMark, mark);
  const follower = new Follower(options);
  const channel = tracingChannel(channelName);
  const ended = (message: unknown): void => quietly(() => follower.ended(message));
  channel.start.bindStore(scopes, (message) => {
    let scope = scopes.getStore();
    quietly(() => {
      scope = follower.started(message, scope);
    });
    return scope;
  });
  channel.asyncEnd.subscribe(ended);
  return () => {
    channel.start.unbindStore(scopes);
    channel.asyncEnd.unsubscribe(ended);
    follower.stop();
    Reflect.deleteProperty(globalThis, followerMark);
  };
}

class Follower {
  readonly #options: FollowOptions;
  readonly #calls: Map<string, AiCall> = new Map();
  readonly #models: WeakMap<ChannelMessage, ModelCall> = new WeakMap();
  readonly #tools: WeakMap<ChannelMessage, Held> = new WeakMap();

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** @returns what the span's work runs in. */
  started(message: unknown, outer: Scope | undefined): Scope | undefined {
    if (!isMessage(message)) return outer;
    const { type, event } = message;
    if (type === 'generateText' || type === 'streamText') return this.#callStarted(type, event, outer);
    const call = this.#callOf(event.callId);
    if (call === undefined) return outer;
    const within = { turn: call.turn, call, context: call.context };
    if (type === 'step') call.step(event.stepNumber);
    if (type === 'languageModelCall') {
      const model = new ModelCall(call.turn, call);
      this.#models.set(message, model);
      if (requestSource(this.#options.requests) === 'own') this.#openUnlessSeen(call, model);
      return { turn: call.turn, call, model, context: call.context };
    }
    if (type === 'executeTool') {
      call.endUnseen();
      const { toolCallId: id, toolName: name } = event.toolCall ?? {};
      let toolCallId = '';
      const held = hold((work) =>
        call.turn.withToolCall({ id, name }, (tool) => {
          toolCallId = tool.id;
          return work();
        }),
      );
      this.#tools.set(message, held);
      return { turn: call.turn, call, toolCallId, context: held.context };
    }
    return within;
  }

  ended(message: unknown): void {
    if (!isMessage(message)) return;
    const { type, event, error } = message;
    const failure = error === undefined ? undefined : { error };
    const call = this.#callOf(event.callId);
    if (type === 'generateText' || type === 'streamText') {
      call?.end(failure);
      this.#calls.delete(event.callId ?? '');
    } else if (type === 'step') call?.endUnseen(failure);
    else if (type === 'executeTool') this.#tools.get(message)?.settle(toolFailure(message));
    else if (type === 'languageModelCall') {
      // A stream has only begun: this is where its headers came.
      if (failure !== undefined || !isStreaming(message)) this.#models.get(message)?.end(failure);
    }
  }

  stop(): void {
    for (const call of this.#calls.values()) abandon(call);
    this.#calls.clear();
  }

  #callStarted(
    operation: AiSdkCall['operation'],
    event: ChannelMessage['event'],
    outer: Scope | undefined,
  ): Scope | undefined {
    const { callId, maxRetries } = event;
    if (callId === undefined) return outer;
    const current = currentTurn();
    const tool = outer?.toolCallId === undefined ? undefined : outer;
    const isSubAgent = tool !== undefined && (current === undefined || current === tool.turn);
    const call =
      current !== undefined && !isSubAgent
        ? AiCall.within(current, maxRetries)
        : AiCall.asTurn(
            {
              agent: event.functionId,
              provider: event.provider,
              model: event.modelId,
              ...(isSubAgent ? { parentId: tool.turn.id, parentCallId: tool.toolCallId } : {}),
              ...this.#options.turn?.({ operation, callId, ...event }),
            },
            maxRetries,
          );
    this.#remember(callId, call);
    return { turn: call.turn, call, context: call.context };
  }

  #callOf(callId: string | undefined): AiCall | undefined {
    return callId === undefined ? undefined : this.#calls.get(callId);
  }

  #remember(callId: string, call: AiCall): void {
    this.#calls.set(callId, call);
    if (this.#calls.size <= maxCalls) return;
    const [oldest] = this.#calls;
    if (oldest === undefined) return;
    this.#calls.delete(oldest[0]);
    abandon(oldest[1]);
  }

  /** The middleware takes the call first, where there is one: a few microtasks from here. */
  #openUnlessSeen(call: AiCall, model: ModelCall): void {
    setImmediate(() =>
      quietly(() => {
        if (model.request !== undefined) return;
        model.open(false);
        call.unseen = model;
      }),
    );
  }
}

/** No end of it will be seen any more. */
function abandon(call: AiCall): void {
  if (call.context !== undefined) call.turn.end({ outcome: 'unknown' });
  call.end();
}

function isStreaming({ result }: ChannelMessage): boolean {
  // Where results are not recorded nothing tells; the step's end then closes the request.
  return typeof result !== 'object' || result === null || 'stream' in result;
}

/** A subscriber that throws is an uncaught exception of the process. */
function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    api.diag.error('turnwatch: an event of the AI SDK could not be followed', error);
  }
}
