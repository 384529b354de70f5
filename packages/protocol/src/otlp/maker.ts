/**
 * Whose telemetry a record is, as far as its scope and name tell. A closed list, so that it may be a metric label.
 * `gen_ai`: OpenTelemetry's own conventions, whoever follows them. `other`: anything else.
 */
export const makers = [
  'turnwatch',
  'codex',
  'claude_code',
  'gemini_cli',
  'ai_sdk',
  'openinference',
  'openllmetry',
  'gen_ai',
  'other',
] as const;
export type Maker = (typeof makers)[number];

/** The first that fits wins: a coding agent's spans that carry GenAI attributes are the agent's. */
const signs: readonly {
  readonly maker: Maker;
  readonly scope: RegExp;
  readonly name: RegExp;
}[] = [
  { maker: 'turnwatch', scope: /^@?turnwatch\b/, name: /^turnwatch\./ },
  { maker: 'codex', scope: /^codex(?:$|[_.:-])/, name: /^codex\./ },
  { maker: 'claude_code', scope: /claude[_-]code/, name: /^claude_code\./ },
  { maker: 'gemini_cli', scope: /^gemini-cli\b/, name: /^gemini_cli\./ },
  { maker: 'openinference', scope: /openinference/, name: /^openinference\./ },
  { maker: 'openllmetry', scope: /traceloop|openllmetry/, name: /^traceloop\./ },
  { maker: 'ai_sdk', scope: /^ai$/, name: /^ai\./ },
  { maker: 'gen_ai', scope: /^gen_ai$/, name: /^gen_ai\./ },
];

/** By the scope that made a record and its name: of the event, the span or the metric. */
export function makerOf(scope: string, name: string): Maker {
  return signs.find((sign) => sign.scope.test(scope) || sign.name.test(name))?.maker ?? 'other';
}

/** What the keys of a span's attributes begin with where it follows the conventions and neither scope nor name says so. */
export const genAiPrefix = 'gen_ai.';
