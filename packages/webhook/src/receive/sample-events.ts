// Documents as the detector sends them, for tests.

export interface SampleEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: unknown;
  readonly [name: string]: unknown;
}

/** As the detector's: `evt_` and base32. */
export function eventId(sequence: number): string {
  return `evt_${'a'.repeat(20)}${[...String(sequence)].map((digit) => 'bcdefghijk'[Number(digit)]).join('')}`;
}

function event(type: string, sequence: number, what: Readonly<Record<string, unknown>>): SampleEvent {
  return {
    specversion: '1.0',
    id: eventId(sequence),
    source: 'urn:turnwatch:detector:test',
    type,
    subject: 'turn_1',
    time: '2026-11-30T11:02:40.250Z',
    timestamp: '2026-11-30T11:02:40.250Z',
    sequence: String(sequence).padStart(16, '0'),
    datacontenttype: 'application/json',
    dataschema: `urn:turnwatch:schema:${type}:1`,
    data: {
      turn: {
        id: 'turn_1',
        attempt: 1,
        parentId: 'agent_planner_7',
        conversationId: 'sess_9f2c',
        agent: 'worker-3',
        provider: 'openai',
        model: 'gpt-5.2-codex',
        startedAt: '2026-11-30T10:58:12.004Z',
        expiresAt: '2026-11-30T11:58:12.004Z',
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      },
      ...what,
      links: { turn: 'https://detector.example/v1/turns/turn_1' },
    },
  };
}

export function staleEvent(sequence: number, more: Readonly<Record<string, unknown>> = {}): SampleEvent {
  return event('turn.stale', sequence, {
    stale: {
      reason: 'silence',
      phase: 'text',
      episode: 1,
      lastActivityAt: '2026-11-30T11:02:06.500Z',
      lastActivityKind: 'chunk',
      staleSince: '2026-11-30T11:02:40.250Z',
      silenceMs: 33750,
      suspectAt: '2026-11-30T11:02:33.500Z',
      thresholdMs: 27000,
      thresholdSource: 'measured',
      confirmMs: 6750,
      largestHealthyGapMs: 18000,
      samples: 412,
      falseFlagEstimate: 0.00094,
      precision: 'proven',
      pendingToolCalls: [],
      expiredToolCalls: [],
      ...more,
    },
  });
}

export function expiredEvent(sequence: number): SampleEvent {
  return event('turn.expired', sequence, {
    expired: {
      expiresAt: '2026-11-30T11:58:12.004Z',
      settledAt: '2026-11-30T11:58:12.131Z',
      stateBefore: 'stale',
      byDefault: false,
      phase: 'text',
      lastActivityAt: '2026-11-30T11:02:06.500Z',
      lastActivityKind: 'chunk',
      abort: 'requested',
      pendingToolCalls: [],
    },
  });
}

export function recoveredEvent(sequence: number): SampleEvent {
  return event('turn.recovered', sequence, {
    recovered: {
      reason: 'silence',
      episode: 1,
      staleEventId: eventId(1),
      staleSince: '2026-11-30T11:02:40.250Z',
      recoveredAt: '2026-11-30T11:03:40.250Z',
      staleForMs: 60_000,
      by: 'chunk',
    },
  });
}

export function requestExpiredEvent(sequence: number): SampleEvent {
  return event('request.expired', sequence, {
    request: { id: 'req_1', expiresAt: '2026-11-30T11:02:40.000Z', phase: 'text' },
  });
}
