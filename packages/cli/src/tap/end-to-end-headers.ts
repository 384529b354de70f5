/** Meant for one connection alone; `host` is the other side's own. */
const ofOneConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
]);

/** Node's raw headers, name and value in turn, without those of the connection: names, order and doubles stay as they are. */
export function endToEndHeaders(raw: readonly string[], without: readonly string[] = []): string[] {
  const dropped = new Set([...ofOneConnection, ...without]);
  for (const [name, value] of pairs(raw))
    if (name.toLowerCase() === 'connection')
      for (const named of value.split(',')) dropped.add(named.trim().toLowerCase());
  const kept: string[] = [];
  for (const [name, value] of pairs(raw)) if (!dropped.has(name.toLowerCase())) kept.push(name, value);
  return kept;
}

export function* pairs(raw: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at] ?? '', raw[at + 1] ?? ''];
}
