import {
  definePlugin,
  type ForeignLog,
  type ForeignRecord,
  type ForeignSpan,
  type Happening,
  type MappedSignal,
  type Plugin,
  type SignalMapper,
} from '@turnwatch/plugin';
import { identity, numberOf, textOf, wallOf } from './attribute.ts';
import { ClaudeTurn } from './claude-turn.ts';
import { Recent } from './recent.ts';

/**
 * Claude Code, by its log events (code.claude.com/docs/en/monitoring-usage): requests are told when they are over, so that
 * the first one is inferred from the prompt, and where nobody is asked for permission the next ones from the results of
 * tools; tools are told when they are decided on and when they have ended.
 */
export class ClaudeCodeMapper implements SignalMapper {
  readonly selects = {
    logs: ['claude_code.*', 'user_prompt', 'api_request', 'api_error', 'tool_decision', 'tool_result'],
    spans: ['*'],
    attributes: [
      'agent_id',
      'decision',
      'duration_ms',
      'event.sequence',
      'model',
      'permission_mode',
      'prompt.id',
      'query_source',
      'session.id',
      'success',
      'tool_name',
      'tool_use_id',
    ],
    resource: ['session.id'],
  } as const;
  readonly precision = 'coarse';
  readonly exporterDelayMs = 5000;

  readonly #turns = new Recent<ClaudeTurn>();
  /** The newest turn of a session. */
  readonly #current = new Recent<ClaudeTurn>();
  readonly #traces = new Recent<ClaudeTurn>();
  /** Spans that have come before the logs of their turn, as they do where a turn is shorter than the logs' interval. */
  readonly #ended = new Recent<ForeignSpan>();
  /** Those of them whose logs are in the records of this call. */
  readonly #ends = new Map<ClaudeTurn, ForeignSpan>();

  map(records: readonly ForeignRecord[]): readonly MappedSignal[] {
    const signals = records.flatMap((record) =>
      record.kind === 'log' ? this.#log(record) : record.kind === 'span' ? this.#span(record) : [],
    );
    const ends = [...this.#ends].flatMap(([turn, span]) => endOf(turn, span));
    this.#ends.clear();
    return [...signals, ...ends];
  }

  #log(log: ForeignLog): readonly MappedSignal[] {
    // Some versions leave the prefix out; those words are Claude Code's only where its scope or service says so.
    if (!log.eventName.startsWith(prefix) && !isClaudeCode(log)) return [];
    const name = log.eventName.startsWith(prefix) ? log.eventName.slice(prefix.length) : log.eventName;
    const session = textOf(log, 'session.id');
    const turn = this.#turnOf(log, name, session);
    if (turn === undefined) return [];
    const before = session === undefined ? undefined : this.#current.get(session);
    const ends = name === 'user_prompt' && before !== undefined && before !== turn && !before.over;
    const earlier = ends ? [{ turn: before.id, happening: before.end() }] : [];
    if (session !== undefined) this.#current.set(session, turn);
    const happenings = turn.over ? [] : happeningsOf(turn, name, log);
    this.#traced(turn, log);
    const signals = [...earlier, ...happenings.map((happening) => ({ turn: turn.id, happening }))];
    return signals.map((signal) => this.#told(signal, log, session));
  }

  #traced(turn: ClaudeTurn, { traceId }: ForeignLog): void {
    if (traceId === undefined) return;
    turn.traced = true;
    this.#traces.set(traceId, turn);
    const ended = this.#ended.get(traceId);
    if (ended === undefined) return;
    this.#ended.delete(traceId);
    this.#ends.set(turn, ended);
  }

  #told(signal: MappedSignal, log: ForeignLog, session: string | undefined): MappedSignal {
    return {
      ...signal,
      ...(log.service === undefined ? {} : { process: log.service }),
      ...wallOf(log),
      identity: identity({
        conversationId: session,
        traceId: log.traceId,
        agent: 'claude-code',
        service: log.service,
        provider: 'anthropic',
        model: textOf(log, 'model'),
      }),
    };
  }

  /** By the prompt that all its events name; older versions name the session alone. */
  #turnOf(log: ForeignLog, name: string, session: string | undefined): ClaudeTurn | undefined {
    const prompt = textOf(log, 'prompt.id');
    const prompted = name === 'user_prompt';
    if (prompt === undefined && session === undefined) return undefined;
    if (prompt === undefined && !prompted) return this.#current.get(session ?? '');
    const id = prompt ?? `${session}-${textOf(log, 'event.sequence') ?? log.timeMs}`;
    const known = this.#turns.get(id);
    if (known !== undefined || !(prompted || opensTurn.has(name))) return known;
    const turn = new ClaudeTurn(`claude-code-${id}`);
    this.#turns.set(id, turn);
    return turn;
  }

  #span(span: ForeignSpan): readonly MappedSignal[] {
    if (span.name !== 'claude_code.interaction') return [];
    const turn = this.#traces.get(span.traceId) ?? this.#untraced(span);
    if (turn !== undefined) return endOf(turn, span);
    this.#ended.set(span.traceId, span);
    return [];
  }

  /** Logs of older versions name no trace. */
  #untraced(span: ForeignSpan): ClaudeTurn | undefined {
    const session = textOf(span, 'session.id');
    const turn = session === undefined ? undefined : this.#current.get(session);
    return turn?.traced === true ? undefined : turn;
  }
}

/** The mapper as a plugin; it takes no options. */
export const claudeCode: Plugin<'mapper', undefined> = definePlugin({
  apiVersion: 1,
  kind: 'mapper',
  name: 'claude-code',
  create: () => new ClaudeCodeMapper(),
});

const prefix = 'claude_code.';
const opensTurn: ReadonlySet<string> = new Set(['api_request', 'api_error', 'tool_decision', 'tool_result']);

/**
 * What it asks a model for beside the turn, as 2.1.332 names it: the answer says nothing of the turn's own request, which may
 * be stuck. What is not named here may be a turn's own in another version, as `sdk`, `repl_main_thread`, `agent:` and
 * `compact` are.
 */
const asides: ReadonlySet<string> = new Set([
  'agent_classifier',
  'agent_creation',
  'agent_namer',
  'agent_summary',
  'auto_dream',
  'auto_mode',
  'auto_mode_critique',
  'away_summary',
  'bash_extract_prefix',
  'extract_memories',
  'extract_memories_first_look',
  'feedback',
  'generate_session_title',
  'hook_agent',
  'hook_prompt',
  'insights',
  'magic_docs',
  'mcp_datetime_parse',
  'memdir_relevance',
  'model_validation',
  'permission_explainer',
  'prompt_suggestion',
  'rename_generate_name',
  'resume_cache_warm',
  'session_memory',
  'session_search',
  'side_question',
  'skill_improvement_apply',
  'speculation',
  'subagent_config_classifier',
  'teleport_generate_title',
  'tool_use_summary_generation',
  'web_fetch_apply',
  'web_search_tool',
]);

function isClaudeCode({ scope, service }: ForeignLog): boolean {
  return /claude[-_.]?code/.test(`${scope ?? ''} ${service ?? ''}`);
}

function endOf(turn: ClaudeTurn, span: ForeignSpan): readonly MappedSignal[] {
  // A span of an earlier prompt that comes late says nothing of the present one.
  if (turn.over || turn.startedMs > span.endMs) return [];
  return [
    {
      turn: turn.id,
      happening: turn.end(span.status === 'error' || turn.failed ? 'failed' : 'completed'),
      ...(span.service === undefined ? {} : { process: span.service }),
    },
  ];
}

function happeningsOf(turn: ClaudeTurn, name: string, log: ForeignLog): readonly Happening[] {
  const tool = textOf(log, 'tool_name');
  const call = textOf(log, 'tool_use_id');
  const source = textOf(log, 'query_source');
  // A sub-agent works beside the turn: its calls are the turn's own, its requests are not.
  const isSub = textOf(log, 'agent_id') !== undefined;
  const isAside = isSub || asides.has(source ?? '');
  turn.asksNobody(textOf(log, 'permission_mode') === 'bypassPermissions', source === 'sdk');
  switch (name) {
    case 'user_prompt':
      return turn.prompted(log.timeMs);
    case 'api_request':
      return isAside
        ? turn.worked()
        : turn.requestCompleted(log.timeMs - (numberOf(log, 'duration_ms') ?? 0));
    case 'api_error':
      return isAside ? turn.worked() : turn.requestFailed();
    case 'tool_decision':
      return textOf(log, 'decision') === 'reject' ? turn.worked() : turn.toolStarted(call, tool, isSub);
    case 'tool_result':
      return turn.toolEnded(call, tool, textOf(log, 'success') !== 'false', isSub ? undefined : log.timeMs);
    default:
      return [];
  }
}
