import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { dashboards } from '../grafana/all.ts';
import { program, skips } from '../testing/programs.ts';
import { alerts, groups } from './rules-file.ts';

const folder = fileURLToPath(new URL('../../alerts/', import.meta.url));
const runbooks = fileURLToPath(new URL('../../../docs/runbooks/', import.meta.url));
const pageOf = ({ runbook, name }: (typeof alerts)[number]): string => runbook ?? name;

test('names are single, and blindness comes first', () => {
  expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
  expect(Object.keys(groups)[0]).toBe('turnwatch.blind');
});

test.each(alerts.map((alert) => [pageOf(alert)]))('the runbook %s says what to do', (page) => {
  expect(existsSync(`${runbooks}${page}.md`)).toBe(true);
  const headings = readFileSync(`${runbooks}${page}.md`, 'utf8').match(/^##? .+$/gm);
  expect(headings).toEqual([`# ${page}`, '## Meaning', '## Impact', '## Diagnosis', '## Mitigation']);
});

test('no runbook is without its alert', () => {
  const known = new Set(alerts.map((alert) => `${pageOf(alert)}.md`));
  expect(readdirSync(runbooks).filter((name) => name !== 'README.md' && !known.has(name))).toEqual([]);
});

test('each alert belongs to a dashboard, and each panel that names an alert to one that exists', () => {
  const ids = dashboards.map(({ id }) => id);
  for (const { dashboard } of alerts) expect(ids).toContain(dashboard);
  const pages = alerts.map(pageOf);
  for (const { rows } of dashboards)
    for (const { alert } of rows.flatMap(({ panels }) => panels))
      if (alert !== undefined) expect(pages).toContain(alert);
});

describe.skipIf(skips('promtool'))('promtool', () => {
  const promtool = (...args: string[]): string =>
    execFileSync(program('promtool'), args, { cwd: folder, encoding: 'utf8' });

  test('finds nothing to say against the rules', () => {
    expect(promtool('check', 'rules', '--lint=all', '--lint-fatal', 'turnwatch.rules.yaml')).toContain(
      'SUCCESS',
    );
  });

  test('sees each alert fire, with all that it says, and each one silent', () => {
    expect(
      promtool('test', 'rules', 'turnwatch.rules.test.yaml', 'turnwatch.rules.slow.test.yaml'),
    ).toContain('SUCCESS');
  }, 120_000);
});

describe.skipIf(skips('amtool'))('amtool', () => {
  const amtool = (...args: string[]): string =>
    execFileSync(program('amtool'), args, { cwd: folder, encoding: 'utf8' });

  test('takes the example of an Alertmanager', () => {
    expect(amtool('check-config', 'alertmanager.example.yaml')).toContain('SUCCESS');
  });

  test.each([
    ['TurnwatchDetectorBlind', 'severity=critical', 'about=blind', 'page'],
    ['TurnwatchTurnsStale', 'severity=warning', 'about=turns', 'tickets'],
  ])('%s goes to who is meant', (name, severity, about, receiver) => {
    const said = amtool(
      'config',
      'routes',
      'test',
      '--config.file=alertmanager.example.yaml',
      `alertname=${name}`,
      severity,
      about,
    );
    expect(said.trim()).toBe(receiver);
  });
});
