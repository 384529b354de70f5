import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseScenario, runScenario, type Variant } from '@turnwatch/testing';
import { describe, expect, test } from 'vitest';

// Real reports as files: what happened, and what a right detector says. Each runs through the real producer, the real
// wire and the real core, plain and in the variants in which it must hold just as well.

const folder = new URL('scenarios/', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort();
const scenarios = files.map((name) => ({
  name: basename(name, '.json'),
  scenario: parseScenario(readFileSync(fileURLToPath(new URL(name, folder)), 'utf8'), name),
}));

const skewS = 27 * 3600;
const phases: Readonly<Record<string, Variant>> = {
  'heartbeats at 0 ms of each second': { phaseMs: 0 },
  'heartbeats at 250 ms of each second': { phaseMs: 250 },
  'heartbeats at 500 ms of each second': { phaseMs: 500 },
  'heartbeats at 750 ms of each second': { phaseMs: 750 },
  'heartbeats at 950 ms of each second': { phaseMs: 950 },
};
const skews: Readonly<Record<string, Variant>> = {
  'producers 27 h ahead': { skewS },
  'producers 27 h behind': { skewS: -skewS },
};
const variants: Readonly<Record<string, Variant>> = {
  plain: {},
  'every batch twice': { double: true },
  ...phases,
  ...skews,
};

// Every file in every variant takes 80 s. So each runs plain, twice, in two of the five phases and in one of the two
// skews; which ones follows from its name, so that a failure comes again.
function hash(name: string): number {
  let value = 0x811c9dc5;
  for (const char of name) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}

function runsIn(name: string, variant: string): boolean {
  const phase = Object.keys(phases).indexOf(variant);
  const skew = Object.keys(skews).indexOf(variant);
  const number = hash(name);
  if (phase >= 0) return (phase - (number % 5) + 5) % 5 < 2;
  return skew < 0 || skew === (number >>> 8) % 2;
}

test('the ids of the files are their names, so that a failure leads to its file', () => {
  expect(scenarios.length).toBeGreaterThan(150);
  expect(scenarios.map(({ scenario }) => scenario.id)).toEqual(scenarios.map(({ name }) => name));
});

test('every file runs plain, twice, in two phases and in one skew', () => {
  for (const { name } of scenarios)
    expect(
      Object.keys(variants).filter((variant) => runsIn(name, variant)),
      name,
    ).toHaveLength(5);
});

describe.each(Object.entries(variants))('%s', (variant, options) => {
  test.each(scenarios.filter(({ name }) => runsIn(name, variant)))('$name', ({ scenario }) => {
    expect(runScenario(scenario, options).failures).toEqual([]);
  });
});
