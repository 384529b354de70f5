export { type A2aPost, type A2aSinkOptions, type A2aTarget, a2aSink } from './sinks/a2a-sink.ts';
export { type AcpPeer, type AcpSinkOptions, acpSink } from './sinks/acp-sink.ts';
export {
  type McpNotification,
  type McpPeer,
  type McpSinkOptions,
  type McpTask,
  type McpTaskStatus,
  mcpSink,
} from './sinks/mcp-sink.ts';
export { SinkError, type SinkErrorCode } from './sinks/sink-error.ts';
export type { VerdictSink } from './sinks/verdict-sink.ts';
export { expiredText, quoted, staleText, verdictText, type WhyStale } from './sinks/verdict-text.ts';
