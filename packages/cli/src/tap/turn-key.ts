import type { IncomingHttpHeaders } from 'node:http';

/** Whose request it is, as far as its headers tell. */
export interface TurnKey {
  /** Requests with the same key belong to one turn. */
  readonly key: string;
  /**
   * The client names its conversation: its next request will come with the same key, so that the turn lasts between them.
   * Otherwise a turn ends with its request.
   */
  readonly lasts: boolean;
  /** The id of the turn, where the client gives it. */
  readonly turnId?: string;
  readonly parentId?: string;
  readonly conversationId?: string;
  /** Where the client says so: a thread has one turn at a time, so that another one in it ends the one before. */
  readonly thread?: string;
  /** The request is made beside the turn's own, to compact its history for instance: its answer does not end the turn. */
  readonly aside?: true;
  readonly agent?: string;
  /** W3C trace context. */
  readonly traceparent?: string;
}

/** Headers that name a conversation, the most telling first. */
const conversationHeaders = [
  'x-turnwatch-conversation-id',
  'x-claude-code-session-id',
  'x-opencode-session',
  'session-id',
  'session_id',
  'conversation_id',
  'x-session-id',
  'x-conversation-id',
  'x-session-affinity',
  'x-litellm-session-id',
] as const;
/** Sub-agents of Claude Code run beside the main one, in its session: each stops by itself. */
const subagentHeader = 'x-claude-code-agent-id';
const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Ties a request to its turn: by our own headers, by those of Codex, Claude Code, opencode and gateways, by its trace, or,
 * where it says nothing, by itself alone.
 * @param unique names this request, and no other
 */
export function turnKeyOf(headers: IncomingHttpHeaders, unique: string): TurnKey {
  const one = (name: string): string | undefined => {
    const value = headers[name];
    const text = Array.isArray(value) ? value[0] : value;
    return text === undefined || text === '' ? undefined : text;
  };
  const given = one('x-turnwatch-turn-id');
  const codex = codexTurn(one('x-codex-turn-metadata'));
  const conversationId = conversationHeaders.map(one).find((value) => value !== undefined) ?? codex?.session;
  const traceparent = one('traceparent');
  const trace = traceparentForm.exec(traceparent ?? '')?.[1];
  const agent = one('x-turnwatch-agent') ?? one('originator') ?? productOf(one('user-agent'));
  const parentId = one('x-turnwatch-parent-id');
  const about = {
    ...(parentId === undefined ? {} : { parentId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(codex?.thread === undefined ? {} : { thread: codex.thread }),
    ...(codex?.kind === undefined || codex.kind === 'turn' ? {} : { aside: true as const }),
    ...(agent === undefined ? {} : { agent }),
    ...(trace === undefined || traceparent === undefined ? {} : { traceparent }),
  };
  const turnId = given ?? codex?.turn;
  if (turnId !== undefined) return { key: `turn ${turnId}`, lasts: true, turnId, ...about };
  if (conversationId !== undefined) {
    const subagent = one(subagentHeader);
    const whose = subagent === undefined ? conversationId : `${conversationId} agent ${subagent}`;
    return { key: `conversation ${whose}`, lasts: true, ...about };
  }
  if (trace !== undefined) return { key: `trace ${trace}`, lasts: false, ...about };
  return { key: `request ${unique}`, lasts: false, ...about };
}

/** What Codex says of each request; `kind` is turn, compaction and the like. */
interface CodexMetadata {
  readonly turn: string | undefined;
  readonly session: string | undefined;
  readonly thread: string | undefined;
  readonly kind: string | undefined;
}

function codexTurn(metadata: string | undefined): CodexMetadata | undefined {
  if (metadata === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(metadata);
  } catch {
    // Of a version that writes something else: its other headers still say whose it is.
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const text = (name: string): string | undefined => {
    const value: unknown = Reflect.get(parsed, name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const thread = text('thread_id');
  return { turn: text('turn_id'), session: text('session_id') ?? thread, thread, kind: text('request_kind') };
}

/** `claude-cli` of `claude-cli/2.1.332 (external, cli)`. */
function productOf(userAgent: string | undefined): string | undefined {
  return /^([\w.-]{1,64})/.exec(userAgent ?? '')?.[1];
}
