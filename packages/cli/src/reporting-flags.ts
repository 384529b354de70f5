/** Where a command that tells of others sends what it tells. */
export const reportingFlags = {
  endpoint: {
    kind: 'text',
    value: 'URL',
    help: 'detector or Collector, OTLP over HTTP; default TURNWATCH_ENDPOINT, else http://127.0.0.1:4318',
  },
  token: {
    kind: 'text',
    value: 'TOKEN',
    help: 'with scope ingest; default TURNWATCH_API_TOKEN, which others cannot see in the list of processes',
  },
} as const;
