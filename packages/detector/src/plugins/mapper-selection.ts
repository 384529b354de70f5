import type { ForeignRecord, MapperSelection, SignalMapper } from '@turnwatch/plugin';
import { PluginError } from './plugin-error.ts';

// Where makers put prompts, answers, tool arguments and tool results. A mapper that asks for one is refused: what was
// never read cannot be stored, logged or sent on.
const contents: readonly RegExp[] = [
  /^gen_ai\.(input|output)\.messages$/,
  /^gen_ai\.system_instructions$/,
  /^gen_ai\.tool\.(call\.(arguments|result)|definitions|description)$/,
  /^gen_ai\.(prompt|completion|content)(\.|$)/,
  /^gen_ai\.evaluation\.explanation$/,
  /^(input|output)\.(value|mime_type)$/,
  /^llm\.(input_messages|output_messages|prompts|prompt_template|invocation_parameters|tools|function_call)(\.|$)/,
  /^traceloop\.entity\.(input|output)$/,
  /^ai\.(prompt|response\.(text|object|toolCalls|reasoning)|toolCall\.(args|result)|value|values)(\.|$)/,
  /^(tool|retrieval|embedding|reranker|message|exception)\.(parameters|json_schema|documents|embeddings|text|vector|query|input_documents|output_documents|content|contents|message|stacktrace)(\.|$)/,
  /^(prompt|completion|response|arguments|output|input|body|content|messages|tool_input|tool_output|tool_parameters|tool_result|user_prompt|function_args)$/,
];

/** @throws PluginError where it asks for contents, or its declarations are none */
export function checkMapper({ selects, precision, exporterDelayMs }: SignalMapper, named: string): void {
  const lists = [selects.attributes, selects.resource ?? [], selects.logs ?? [], selects.spans ?? []];
  for (const list of [...lists, selects.metrics ?? []])
    if (!Array.isArray(list) || list.some((name) => typeof name !== 'string'))
      throw new PluginError(`${named}: "selects" of a mapper holds lists of names`);
  const asked = [...selects.attributes, ...(selects.resource ?? [])].find((name) =>
    contents.some((pattern) => pattern.test(name)),
  );
  if (asked !== undefined)
    throw new PluginError(
      `${named} selects the attribute ${asked}, which holds prompts or tool contents; those are never read`,
    );
  if (!['fine', 'coarse', 'terminal-only'].includes(precision))
    throw new PluginError(`${named}: "precision" of a mapper is one of fine, coarse, terminal-only`);
  if (!(exporterDelayMs >= 0 && exporterDelayMs <= 600_000))
    throw new PluginError(`${named}: "exporterDelayMs" of a mapper is a number of ms from 0 to 600000`);
}

/** True where a name is one of these; `codex.*` stands for all that begin so. */
export function isSelected(name: string, patterns: readonly string[] | undefined): boolean {
  return (patterns ?? []).some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** The record as this mapper may see it; undefined where it has not asked for it. */
export function selectedPart(record: ForeignRecord, selects: MapperSelection): ForeignRecord | undefined {
  const wanted =
    record.kind === 'log'
      ? isSelected(record.eventName, selects.logs)
      : record.kind === 'span'
        ? isSelected(record.scope ?? '', selects.spans)
        : isSelected(record.name, selects.metrics);
  if (!wanted) return undefined;
  return {
    ...record,
    attributes: only(record.attributes, selects.attributes),
    resource: only(record.resource, selects.resource ?? []),
  };
}

function only<V>(all: Readonly<Record<string, V>>, names: readonly string[]): Record<string, V> {
  const kept: Record<string, V> = {};
  for (const name of names) {
    const value = all[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
