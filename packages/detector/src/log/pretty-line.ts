const colours: Readonly<Record<string, number>> = { debug: 90, info: 32, warn: 33, error: 31, fatal: 31 };
/** Of no interest to who sits in front of it. */
const left = new Set(['level', 'time', 'msg', 'name', 'pid', 'hostname', 'err']);

/** A line of JSON as a person reads it: `12:00:01 warn   the canary was not taken  path=eu  (ECONNREFUSED ...)`. */
export function prettyLine(json: string, colour: boolean): string {
  let line: Readonly<Record<string, unknown>>;
  try {
    line = JSON.parse(json) as Readonly<Record<string, unknown>>;
  } catch {
    return json;
  }
  const level = String(line.level);
  const paint = (code: number, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const fields = Object.entries(line)
    .filter(([key, value]) => !left.has(key) && value !== undefined)
    .map(([key, value]) => `${paint(90, `${plain(key)}=`)}${shown(value)}`);
  const time = String(line.time).slice(11, 19);
  return `${[
    paint(90, plain(time)),
    paint(colours[level] ?? 37, plain(level).padEnd(5)),
    plain(String(line.msg ?? '')),
    ...fields,
  ].join(' ')}${errorOf(line.err)}\n`;
}

function errorOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { type, message, stack } = err as Readonly<Record<string, unknown>>;
  const lines =
    typeof stack === 'string' ? stack.split('\n').map((line) => `\n    ${plain(line.trim())}`) : [];
  return `\n    ${plain(String(type))}: ${plain(String(message))}${lines.join('')}`;
}

function shown(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@()[\]…+-]+$/.test(value)) return value;
  return plain(JSON.stringify(value) ?? '');
}

/** Names come from agents: no control character of theirs reaches a terminal. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '�');
}
