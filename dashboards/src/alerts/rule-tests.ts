import { metrics, prometheusName } from '@turnwatch/protocol';
import type { AlertSpec, Given } from './alert.ts';
import { alerts, annotationsOf, labelsOf, yaml } from './rules-file.ts';

const detector = { job: 'turnwatch', instance: 'detector:4318' } as const;

/** What an aggregated series has no more is the alert's to say: it names the labels that stay. */
function expected(alert: AlertSpec): Record<string, string> {
  const byInstance = !/sum by|job:|job_\w+:/.test(alert.expr);
  return {
    job: detector.job,
    ...(byInstance ? { instance: detector.instance } : {}),
    ...labelsOf(alert),
    ...alert.fires.labels,
  };
}

function told(alert: AlertSpec): Record<string, string> {
  const labels = { ...expected(alert) };
  return Object.fromEntries(
    Object.entries(annotationsOf(alert)).map(([key, text]) => [
      key,
      text
        .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '')
        .replaceAll(/\{\{ \$value[^}]*\}\}/g, alert.fires.says ?? ''),
    ]),
  );
}

function series({ metric, suffix = '', labels, values }: Given): { series: string; values: string } {
  const name = metric === 'up' ? 'up' : `${prometheusName(metrics[metric])}${suffix}`;
  const all = Object.entries({ ...detector, ...labels }).map(([label, value]) => `${label}="${value}"`);
  return { series: `${name}{${all.join(', ')}}`, values };
}

/** For each alert a past in which it fires, with all that it says, and one in which it does not. */
export function ruleTestsFile(): string {
  return yaml({
    rule_files: ['turnwatch.rules.yaml'],
    evaluation_interval: '1m',
    tests: alerts.flatMap((alert) => [
      {
        name: `${alert.name} fires`,
        interval: '1m',
        input_series: alert.fires.given.map(series),
        alert_rule_test: [
          {
            alertname: alert.name,
            eval_time: alert.fires.at,
            exp_alerts: [{ exp_labels: expected(alert), exp_annotations: told(alert) }],
          },
        ],
      },
      {
        name: `${alert.name} is silent`,
        interval: '1m',
        input_series: alert.quiet.given.map(series),
        alert_rule_test: [{ alertname: alert.name, eval_time: alert.quiet.at, exp_alerts: [] }],
      },
    ]),
  });
}
