import { stringify } from 'yaml';
import { runbookUrl } from '../links.ts';
import type { AlertSpec } from './alert.ts';
import { blindAlerts } from './blind.ts';
import { burnAlerts } from './burn-rates.ts';
import { collectorAlerts } from './collector.ts';
import { recordings } from './recordings.ts';
import { deliveryAlerts, detectorAlerts, turnAlerts } from './turns.ts';

/** In the order in which they are to be looked at. */
export const groups: Readonly<Record<string, readonly AlertSpec[]>> = {
  'turnwatch.blind': blindAlerts,
  'turnwatch.collector': collectorAlerts,
  'turnwatch.turns': turnAlerts,
  'turnwatch.delivery': deliveryAlerts,
  'turnwatch.detector': detectorAlerts,
  'turnwatch.budgets': burnAlerts,
};

export const alerts: readonly AlertSpec[] = Object.values(groups).flat();

export function annotationsOf(alert: AlertSpec): Record<string, string> {
  return {
    summary: alert.summary,
    description: alert.description,
    runbook_url: runbookUrl(alert.runbook ?? alert.name),
    dashboard: `turnwatch-${alert.dashboard}`,
  };
}

export function labelsOf(alert: AlertSpec): Record<string, string> {
  return { severity: alert.severity, about: alert.about, ...alert.labels };
}

/** What Prometheus loads. */
export function rulesFile(): string {
  return yaml({
    groups: [
      { name: 'turnwatch.recordings', rules: recordings },
      ...Object.entries(groups).map(([name, specs]) => ({
        name,
        rules: specs.map((alert) => ({
          alert: alert.name,
          expr: alert.expr,
          ...(alert.for === undefined ? {} : { for: alert.for }),
          ...(alert.keepFiringFor === undefined ? {} : { keep_firing_for: alert.keepFiringFor }),
          labels: labelsOf(alert),
          annotations: annotationsOf(alert),
        })),
      })),
    ],
  });
}

/** Generated: the note tells from what, so that nobody mends the wrong file. */
export function yaml(document: unknown): string {
  return `# Made by npm run dashboards from dashboards/src; do not edit.\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
