/** What a series means has the same colour on every panel. */
type Colors = Readonly<Record<string, { readonly color: string }>>;

const colors = (of: Readonly<Record<string, string>>): Colors =>
  Object.fromEntries(Object.entries(of).map(([name, color]) => [name, { color }]));

export const stateColors: Colors = colors({
  running: 'green',
  waiting: 'blue',
  suspect: 'yellow',
  stale: 'red',
});

export const phaseColors: Colors = colors({
  queued: 'orange',
  first_token: 'yellow',
  reasoning: 'blue',
  text: 'green',
  tool_args: 'light-green',
  non_streaming: 'semi-dark-green',
  compacting: 'light-blue',
  agent: 'purple',
  idle: 'gray',
  tool: 'light-orange',
  waiting: 'light-purple',
});

export const reasonColors: Colors = colors({
  silence: 'orange',
  tool_silence: 'yellow',
  engine_only: 'light-orange',
  process_unreachable: 'red',
  process_blocked: 'purple',
  process_exited: 'dark-red',
});

/** OTLP answers: taken, come again, lost. */
export const statusColors: Colors = colors({
  '/^2/': 'green',
  '/^(429|503)/': 'orange',
  '/^(40|41|500)/': 'red',
});

export const attemptColors: Colors = colors({
  '/delivered$/': 'green',
  '/retry$/': 'orange',
  '/dead$/': 'red',
});

export const endpointColors: Colors = colors({ active: 'green', paused: 'orange', disabled: 'red' });

export const quantileColors: Colors = colors({ p50: 'green', p90: 'yellow', p99: 'orange' });
