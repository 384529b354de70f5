// Reads vitest's JSON report for .ci/run. Prints lines of tab-separated fields:
//   passed <count>   |   failed <name>   |   skipped <name> <why>
// usage: node count-tests.mjs <report.json> <exit code of npm test>
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [reportPath = '', exitCode = '1'] = process.argv.slice(2);
const print = (...fields) =>
  console.log(fields.map((field) => String(field).replace(/\s+/g, ' ')).join('\t'));

if (!existsSync(reportPath)) {
  print('failed', 'npm test ended before the tests: see above for the check, build or typecheck that failed');
} else {
  const { testResults } = JSON.parse(readFileSync(reportPath, 'utf8'));
  let passed = 1; // Check, build and typecheck, which come before the tests.
  let failed = 0;
  for (const { name: file, status, assertionResults } of testResults) {
    const path = relative(process.cwd(), file);
    for (const { fullName, status: outcome } of assertionResults) {
      if (outcome === 'passed') passed += 1;
      else if (outcome === 'failed') {
        failed += 1;
        print('failed', `${path}: ${fullName}`);
      } else print('skipped', `${path}: ${fullName}`, `marked ${outcome}`);
    }
    if (status === 'failed' && !assertionResults.some((result) => result.status === 'failed')) {
      failed += 1;
      print('failed', `${path}: the file itself`);
    }
  }
  if (passed + failed === 1) print('failed', 'npm test ran no tests');
  else if (exitCode !== '0' && failed === 0)
    print('failed', `npm test ended with ${exitCode} though no test failed`);
  print('passed', passed);
}
