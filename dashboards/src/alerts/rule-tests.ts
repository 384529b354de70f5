import { type MetricKey, metrics, prometheusName } from '@turnwatch/protocol';
import type { AlertSpec, Given } from './alert.ts';
import { alerts, annotationsOf, labelsOf, yaml } from './rules-file.ts';

const detector = { job: 'turnwatch', instance: 'detector:4318' } as const;

/** What an aggregated series has no more is the alert's to say: it names the labels that stay. */
function expected(alert: AlertSpec): Record<string, string> {
  const byInstance = !/(sum|max) by|job:|job_\w+:/.test(alert.expr);
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
  const name = isOfOthers(metric) ? metric : `${prometheusName(metrics[metric])}${suffix}`;
  const all = Object.entries({ ...detector, ...labels }).map(([label, value]) => `${label}="${value}"`);
  return { series: `${name}{${all.join(', ')}}`, values };
}

function isOfOthers(metric: Given['metric']): metric is Exclude<Given['metric'], MetricKey> {
  return metric === 'up' || metric.startsWith('otelcol_');
}

/** A job beside, in which the same alert must be silent. */
const calm = 'calm';

function calmly(given: readonly Given[]): Given[] {
  return given.map((each) => ({ ...each, labels: { ...each.labels, job: calm } }));
}

function testsOf(alert: AlertSpec, interval: string): readonly object[] {
  const { fires, quiet } = alert;
  const firing = { exp_labels: expected(alert), exp_annotations: told(alert) };
  const at = (eval_time: string, exp_alerts: readonly object[]) => ({
    alert_rule_test: [{ alertname: alert.name, eval_time, exp_alerts }],
  });
  // Side by side, for each evaluation costs; apart where the two do not end together or the job is part of the alert.
  if (fires.at === quiet.at && !alert.expr.includes('job="turnwatch"'))
    return [
      {
        name: `${alert.name} fires for one job and is silent for the other`,
        interval,
        input_series: [...fires.given, ...calmly(quiet.given)].map(series),
        ...at(fires.at, [firing]),
      },
    ];
  return [
    {
      name: `${alert.name} fires`,
      interval,
      input_series: fires.given.map(series),
      ...at(fires.at, [firing]),
    },
    { name: `${alert.name} is silent`, interval, input_series: quiet.given.map(series), ...at(quiet.at, []) },
  ];
}

/** Hours pass in steps of minutes: their windows are long enough for it. */
const isSlow = (alert: AlertSpec): boolean => alert.for?.endsWith('h') === true;

/** For each alert a past in which it fires, with all that it says, and one in which it does not. */
export function ruleTestsFile(speed: 'quick' | 'slow'): string {
  const interval = speed === 'slow' ? '5m' : '1m';
  return yaml({
    rule_files: ['turnwatch.rules.yaml'],
    evaluation_interval: interval,
    tests: alerts
      .filter((alert) => isSlow(alert) === (speed === 'slow'))
      .flatMap((alert) => testsOf(alert, interval)),
  });
}
