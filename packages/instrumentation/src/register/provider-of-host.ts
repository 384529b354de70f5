// OpenTelemetry's words for who answers (gen_ai.provider.name), by the host that is asked.
const known: readonly (readonly [host: RegExp, provider: string])[] = [
  [/(^|\.)openai\.com$/, 'openai'],
  [/\.openai\.azure\.com$/, 'azure.ai.openai'],
  [/\.inference\.ai\.azure\.com$/, 'azure.ai.inference'],
  [/(^|\.)anthropic\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/(^|[.-])aiplatform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/(^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)x\.ai$/, 'x_ai'],
  [/(^|\.)cohere\.(com|ai)$/, 'cohere'],
  [/(^|\.)perplexity\.ai$/, 'perplexity'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshot_ai'],
  [/(^|\.)openrouter\.ai$/, 'openrouter'],
];

/**
 * The provider behind an origin: its silences are compared with its like only. A host that nobody knows is a provider of
 * its own, with its port, since two engines of one machine are not alike.
 */
export function providerOf(origin: string | undefined): string | undefined {
  if (origin === undefined || !URL.canParse(origin)) return undefined;
  const { hostname, host } = new URL(origin);
  return known.find(([form]) => form.test(hostname))?.[1] ?? (host === '' ? undefined : host);
}
