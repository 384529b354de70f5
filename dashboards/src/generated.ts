import { ruleTestsFile } from './alerts/rule-tests.ts';
import { rulesFile } from './alerts/rules-file.ts';
import { dashboards } from './grafana/all.ts';
import { dashboardOf } from './grafana/dashboard.ts';

/** Every generated file with its content, by its path from `dashboards/`. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...dashboards.map((spec): [string, string] => [
      `grafana/${spec.id}.json`,
      `${JSON.stringify(dashboardOf(spec), undefined, 2)}\n`,
    ]),
    ['alerts/turnwatch.rules.yaml', rulesFile()],
    ['alerts/turnwatch.rules.test.yaml', ruleTestsFile('quick')],
    ['alerts/turnwatch.rules.slow.test.yaml', ruleTestsFile('slow')],
  ]);
}
