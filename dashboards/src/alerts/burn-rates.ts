import { burnRates, fewestMisses, objectives } from '../limits.ts';
import type { AlertSpec, Given } from './alert.ts';
import { burning, type Objective } from './recordings.ts';

/** A counter that is new counts from nothing in any window: nobody has to wait for three days. */
const firesAt = { '2m': '8m', '15m': '20m', '1h': '80m', '3h': '200m' } as const;

interface Told {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly dashboard: AlertSpec['dashboard'];
  readonly about: AlertSpec['about'];
}

const told: Readonly<Record<Objective, Told>> = {
  delivery: {
    name: 'TurnwatchDeliveryBudgetBurn',
    summary: 'Events reach their endpoints too late',
    description: `So many came later than ${objectives.delivery.withinS} s or were given up that the budget of ${objectives.delivery.mayMiss * 100} % does not last.`,
    dashboard: 'webhooks',
    about: 'delivery',
  },
  detection: {
    name: 'TurnwatchDetectionBudgetBurn',
    summary: 'Verdicts are made too late',
    description: `So many came later than threshold, confirm window and ${objectives.detection.withinS} s that the budget of ${objectives.detection.mayMiss * 100} % does not last.`,
    dashboard: 'detection',
    about: 'quality',
  },
};

/** Two windows each: the long one says that it matters, the short one that it goes on. */
export const burnAlerts: readonly AlertSpec[] = (['delivery', 'detection'] as const).flatMap((objective) =>
  burnRates.map((rate): AlertSpec => {
    const { name, ...words } = told[objective];
    return {
      ...words,
      name: `${name}${rate.long}`,
      expr: burning(objective, rate, fewestMisses),
      for: rate.for,
      severity: rate.severity,
      labels: { long: rate.long, short: rate.short },
      runbook: name,
      fires: { given: past(objective, 0.5), at: firesAt[rate.for], labels: {} },
      quiet: { given: past(objective, 1), at: firesAt[rate.for] },
    };
  }),
);

/** Ten cases a minute, of which such a share was in time. */
function past(objective: Objective, share: number): Given[] {
  const metric = objective === 'delivery' ? 'deliveryDelay' : 'detectionDelay';
  const labels = objective === 'delivery' ? { endpoint: 'ops' } : { reason: 'silence' };
  const { withinS } = objectives[objective];
  return [
    { metric, suffix: '_count', labels, values: '0+10x200' },
    { metric, suffix: '_bucket', labels: { ...labels, le: String(withinS) }, values: `0+${10 * share}x200` },
  ];
}
