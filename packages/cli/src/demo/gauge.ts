/** What of a turn the timeline shows. */
export interface Gauge {
  readonly state: string;
  readonly phase: string;
  readonly silenceMs: number;
  readonly thresholdMs: number;
  readonly reason: string | null;
  /** The open tool call that is nearest to its grace. */
  readonly call?: { readonly quietMs: number; readonly graceMs: number };
}

/** Reads the state of every turn from the API of the detector, as anybody could. */
export async function readGauges(detectorUrl: string): Promise<ReadonlyMap<string, Gauge>> {
  const response = await fetch(`${detectorUrl}/v1/turns`, { signal: AbortSignal.timeout(900) });
  if (!response.ok) throw new Error(`GET ${detectorUrl}/v1/turns was answered ${response.status}`);
  return gaugesOf(await response.json());
}

export function gaugesOf(body: unknown): ReadonlyMap<string, Gauge> {
  const gauges = new Map<string, Gauge>();
  for (const turn of list(field(body, 'turns'))) {
    const id = field(turn, 'id');
    if (typeof id !== 'string') continue;
    const calls = list(field(turn, 'calls'))
      .map((call) => ({ quietMs: number(field(call, 'quietMs')), graceMs: number(field(call, 'graceMs')) }))
      .sort((a, b) => b.quietMs - b.graceMs - (a.quietMs - a.graceMs));
    const [call] = calls;
    gauges.set(id, {
      state: text(field(turn, 'state')),
      phase: text(field(turn, 'phase')),
      silenceMs: number(field(turn, 'silenceMs')),
      thresholdMs: number(field(turn, 'thresholdMs')),
      reason: text(field(turn, 'reason')) || null,
      ...(call === undefined ? {} : { call }),
    });
  }
  return gauges;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
