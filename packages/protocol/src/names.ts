// Every name that crosses a process boundary (wire contract, version 1). Nothing else in the repository spells them out.

/** Log event names. Spans appear only when they end and metrics once a minute: a detector needs events. */
export const Event = {
  turnStarted: 'turnwatch.turn.started',
  turnHeartbeat: 'turnwatch.turn.heartbeat',
  turnEnded: 'turnwatch.turn.ended',
  turnAdopted: 'turnwatch.turn.adopted',
  turnWaiting: 'turnwatch.turn.waiting',
  turnResumed: 'turnwatch.turn.resumed',
  agentStep: 'turnwatch.agent.step',
  turnIdle: 'turnwatch.turn.idle',
  requestStarted: 'turnwatch.request.started',
  requestFirstChunk: 'turnwatch.request.first_chunk',
  requestEnded: 'turnwatch.request.ended',
  toolStarted: 'turnwatch.tool.started',
  toolProgress: 'turnwatch.tool.progress',
  toolEnded: 'turnwatch.tool.ended',
  promptRead: 'turnwatch.prompt.read',
  streamChunk: 'turnwatch.stream.chunk',
  streamLifecycle: 'turnwatch.stream.lifecycle',
  streamKeepalive: 'turnwatch.stream.keepalive',
  compactionStarted: 'turnwatch.compaction.started',
  compactionEnded: 'turnwatch.compaction.ended',
  providerError: 'turnwatch.provider.error',
  engineState: 'turnwatch.engine.state',
  processStarted: 'turnwatch.process.started',
  processHeartbeat: 'turnwatch.process.heartbeat',
  processSuspending: 'turnwatch.process.suspending',
  processExiting: 'turnwatch.process.exiting',
  processExited: 'turnwatch.process.exited',
  canary: 'turnwatch.canary',
} as const;

/**
 * Attributes of OpenTelemetry's GenAI conventions (all in development, renamed during 2026): the one versioned table.
 * The first name is written, all are read.
 */
export const GenAi = {
  provider: ['gen_ai.provider.name', 'gen_ai.system'],
  model: ['gen_ai.request.model'],
  conversation: ['gen_ai.conversation.id'],
  agent: ['gen_ai.agent.name', 'gen_ai.workflow.name'],
  toolCallId: ['gen_ai.tool.call.id'],
  toolName: ['gen_ai.tool.name'],
  stream: ['gen_ai.request.stream'],
  inputTokens: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'],
  // Of spans
  operation: ['gen_ai.operation.name'],
  outputTokens: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'],
  cachedTokens: ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read_input_tokens'],
  /** Seconds. */
  firstChunk: ['gen_ai.response.time_to_first_chunk'],
} as const;

/** Values of `GenAi.operation` by what they are to us; the first is written, all are read. */
export const GenAiOperation = {
  turn: ['invoke_agent', 'invoke_workflow'],
  request: ['chat', 'text_completion', 'generate_content'],
  tool: ['execute_tool'],
} as const;

/** Attributes that only spans have. */
export const SpanAttr = {
  /** Longest time without activity in one phase of the turn, waits left out, ms on the turn clock. */
  largestGapMs: 'turnwatch.gap.largest_ms',
  largestGapPhase: 'turnwatch.gap.phase',
} as const;

/** Our own attributes. Times ending in `_ms` are milliseconds on the producer's turn clock unless said otherwise. */
export const Attr = {
  // Every record
  processId: 'turnwatch.process.id',
  bootId: 'turnwatch.process.boot_id',
  seq: 'turnwatch.seq',
  awakeMs: 'turnwatch.clock.awake_ms',
  wallMs: 'turnwatch.clock.wall_ms',
  wokeMs: 'turnwatch.clock.woke_ms',
  // Every record of a turn
  turnId: 'turnwatch.turn.id',
  attempt: 'turnwatch.turn.attempt',
  incarnation: 'turnwatch.turn.incarnation',
  // Identity
  parentId: 'turnwatch.turn.parent_id',
  parentCallId: 'turnwatch.turn.parent_call_id',
  route: 'turnwatch.route',
  engineId: 'turnwatch.engine.id',
  managedBy: 'turnwatch.turn.managed_by',
  startedAt: 'turnwatch.turn.started_at',
  expiresAt: 'turnwatch.turn.expires_at',
  traceId: 'turnwatch.turn.trace_id',
  // The report of a turn: cumulative state
  expiresInMs: 'turnwatch.turn.expires_in_ms',
  phase: 'turnwatch.phase',
  phaseMs: 'turnwatch.phase.since_ms',
  handover: 'turnwatch.phase.handover',
  lastMs: 'turnwatch.activity.last_ms',
  lastKind: 'turnwatch.activity.kind',
  firstMs: 'turnwatch.activity.first_ms',
  contentMs: 'turnwatch.activity.content_ms',
  productiveMs: 'turnwatch.activity.productive_ms',
  completedMs: 'turnwatch.activity.completed_ms',
  failedMs: 'turnwatch.activity.failed_ms',
  progressMs: 'turnwatch.evidence.progress_ms',
  keepaliveMs: 'turnwatch.evidence.keepalive_ms',
  chunks: 'turnwatch.chunks',
  // Open requests, parallel arrays; -1 where a number is not known
  requestIds: 'turnwatch.requests.ids',
  requestCount: 'turnwatch.requests.count',
  requestStartedMs: 'turnwatch.requests.started_ms',
  requestStreaming: 'turnwatch.requests.streaming',
  requestPromptTokens: 'turnwatch.requests.prompt_tokens',
  requestContentMs: 'turnwatch.requests.content_ms',
  /** 1 where the request has a horizon. `expires_in_ms` may be negative, so it cannot mark absence itself. */
  requestHasHorizon: 'turnwatch.requests.has_horizon',
  requestExpiresInMs: 'turnwatch.requests.expires_in_ms',
  // Open calls, parallel arrays; -1 where a number, '' where a string is not known
  callIds: 'turnwatch.calls.ids',
  callCount: 'turnwatch.calls.count',
  callNames: 'turnwatch.calls.names',
  callStartedMs: 'turnwatch.calls.started_ms',
  callQuietMs: 'turnwatch.calls.quiet_since_ms',
  callTimeoutMs: 'turnwatch.calls.timeout_ms',
  callUpdates: 'turnwatch.calls.updates',
  callChildren: 'turnwatch.calls.child_turns',
  // Waiting
  waitingFor: 'turnwatch.waiting.for',
  waitingMs: 'turnwatch.waiting.since_ms',
  /** ISO 8601, for people. */
  waitingUntil: 'turnwatch.waiting.until',
  waitingUntilInMs: 'turnwatch.waiting.until_in_ms',
  waitingCall: 'turnwatch.waiting.call_id',
  // Pending error of the report. Names of its own: the happening beside it may tell of another error
  pendingErrorType: 'turnwatch.error.type',
  pendingErrorRetryable: 'turnwatch.error.retryable',
  errorMs: 'turnwatch.error.at_ms',
  // Error of a happening
  errorType: 'error.type',
  retryable: 'turnwatch.retryable',
  retryAt: 'turnwatch.retry_at',
  retryInMs: 'turnwatch.retry_in_ms',
  // Single happenings
  outcome: 'turnwatch.outcome',
  step: 'turnwatch.step.name',
  requestId: 'turnwatch.request.id',
  requestExpiresAt: 'turnwatch.request.expires_at',
  /** Time left to the horizon of the one request that the record is about. */
  requestLeftMs: 'turnwatch.request.expires_in_ms',
  ttftMs: 'turnwatch.request.ttft_ms',
  toolTimeoutMs: 'turnwatch.tool.timeout_ms',
  chunkKind: 'turnwatch.chunk.kind',
  lifecycleName: 'turnwatch.stream.event',
  readTokens: 'turnwatch.prompt.read_tokens',
  totalTokens: 'turnwatch.prompt.total_tokens',
  reusedTokens: 'turnwatch.prompt.reused_tokens',
  // Process
  loopAgeMs: 'turnwatch.process.loop_age_ms',
  worker: 'turnwatch.process.worker',
  hostClass: 'turnwatch.host.class',
  openTurns: 'turnwatch.turns.open',
  openCount: 'turnwatch.turns.open_count',
  endedTurns: 'turnwatch.turns.ended',
  endedAttempts: 'turnwatch.turns.ended_attempts',
  endedOutcomes: 'turnwatch.turns.ended_outcomes',
  exitCode: 'turnwatch.process.exit_code',
  exitSignal: 'turnwatch.process.exit_signal',
  exitedProcess: 'turnwatch.process.exited_id',
  // Engine
  engineState: 'turnwatch.engine.state',
  engineQueued: 'turnwatch.engine.queued',
  slotIds: 'turnwatch.engine.slots.ids',
  slotTurns: 'turnwatch.engine.slots.turns',
  slotRead: 'turnwatch.engine.slots.read_tokens',
  slotGenerated: 'turnwatch.engine.slots.generated_tokens',
  // Canary
  path: 'turnwatch.path',
  canaryId: 'turnwatch.canary.id',
} as const;

/** Agent-supplied strings reach other agents' prompts: longer ones are cut, control characters are stripped. */
export const maxTextLength = 128;
