/** What is read of a message on the AI SDK's tracing channel. Contents are never read. */
export interface ChannelMessage {
  readonly type: string;
  readonly event: {
    readonly callId?: string;
    readonly stepNumber?: number;
    readonly provider?: string;
    readonly modelId?: string;
    readonly functionId?: string;
    readonly maxRetries?: number;
    readonly toolCall?: { readonly toolCallId?: string; readonly toolName?: string };
  };
  readonly error?: unknown;
  readonly result?: unknown;
}

export function isMessage(value: unknown): value is ChannelMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'event' in value &&
    typeof value.event === 'object' &&
    value.event !== null
  );
}

/** A tool that throws does not fail its span: the error is the result. */
export function toolFailure(message: ChannelMessage): { readonly error: unknown } | undefined {
  if (message.error !== undefined) return { error: message.error };
  const output = field(message.result, 'output');
  return field(output, 'type') === 'tool-error' ? { error: field(output, 'error') } : undefined;
}

export function isAbort(error: unknown): boolean {
  const name = field(error, 'name');
  return name === 'AbortError' || name === 'ResponseAborted' || name === 'TurnExpiredError';
}

export function isRetryable(error: unknown): boolean {
  return field(error, 'isRetryable') === true;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
