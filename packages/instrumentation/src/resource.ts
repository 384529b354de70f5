type Env = Readonly<Record<string, string | undefined>>;

/** What `OTEL_RESOURCE_ATTRIBUTES` says of this process: `key=value,key2=value2`, percent-encoded. What is none is left out. */
export function resourceOf(env: Env): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const pair of (env.OTEL_RESOURCE_ATTRIBUTES ?? '').split(',')) {
    const at = pair.indexOf('=');
    const key = pair.slice(0, at).trim();
    if (at > 0 && key !== '') attributes[key] = decoded(pair.slice(at + 1).trim());
  }
  return attributes;
}

/** The name of this process in OpenTelemetry's variables. */
export function serviceNameOf(env: Env): string | undefined {
  const name = env.OTEL_SERVICE_NAME;
  return name === undefined || name === '' ? resourceOf(env)['service.name'] : name;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // A stray percent sign: taken as it stands.
    return value;
  }
}
