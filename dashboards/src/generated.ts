import { ruleTestsFile } from './alerts/rule-tests.ts';
import { rulesFile } from './alerts/rules-file.ts';

/** Every generated file with its content, by its path from `dashboards/`. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['alerts/turnwatch.rules.yaml', rulesFile()],
    ['alerts/turnwatch.rules.test.yaml', ruleTestsFile()],
  ]);
}
