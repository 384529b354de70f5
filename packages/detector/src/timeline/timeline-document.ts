import { baselineKey, isJudged, type Policy, type Registry, type TurnView } from '@turnwatch/core';
import { type DeliveryDocument, type TimelineDocument, toTurnDocument } from '@turnwatch/protocol';
import { documentOf } from './entry.ts';
import { judgementOf } from './judgement.ts';
import type { TurnRecord } from './turn-record.ts';

export interface TimelineInput {
  readonly view: TurnView;
  readonly record: TurnRecord | undefined;
  readonly registry: Registry;
  readonly policy: Pick<Policy, 'confirmRatio' | 'minSamples'>;
  readonly deliveries: readonly DeliveryDocument[];
  readonly mayOperate: boolean;
  readonly wallMs: number;
}

export function timelineOf(input: TimelineInput): TimelineDocument {
  const { view, record, registry, policy, deliveries, mayOperate, wallMs } = input;
  const entries = [...(record?.entries ?? [])].sort((a, b) => a.fromMs - b.fromMs).map(documentOf);
  const first = entries[0];
  const { provider = '', model = '' } = view.identity;
  const phase = isJudged(view.phase) ? view.phase : 'agent';
  const learned = registry.learned.read(baselineKey(provider, model, phase));
  return {
    at: new Date(wallMs).toISOString(),
    turn: toTurnDocument(view),
    begins: record === undefined || record.dropped > 0 ? 'dropped' : record.begins,
    recordedFrom: first === undefined ? null : first.kind === 'mark' ? first.at : first.from,
    droppedEntries: record?.dropped ?? 0,
    entries,
    judgement: judgementOf({
      view,
      learned: { ...learned, maxGapMs: learned.top[0]?.gapMs ?? 0 },
      confirmRatio: policy.confirmRatio,
      minSamples: policy.minSamples,
    }),
    deliveries,
    mayOperate,
  };
}
