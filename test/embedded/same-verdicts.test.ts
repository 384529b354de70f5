import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { toDocument } from '@turnwatch/protocol';
import { parseScenario, runScenario } from '@turnwatch/testing';
import { expect, test } from 'vitest';
import { BothDetectors } from './both-detectors.ts';
import { source } from './simulated-embedded.ts';

// The embedded detector and the one behind the wire are one core in two shells. Each report as a file runs through both;
// what they say must be the same to the byte: verdicts, their instants, reasons, thresholds and ids.

const folder = new URL('../scenarios/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

test.each(files.map((file) => basename(file, '.json')))('%s', (name) => {
  const scenario = parseScenario(readFileSync(new URL(`${name}.json`, folder), 'utf8'), name);
  let both: BothDetectors | undefined;
  const { events, failures } = runScenario(scenario, {
    detector: (given) => (both = new BothDetectors(given)),
  });
  expect(failures).toEqual([]);
  expect(both?.embedded.errors).toEqual([]);
  const told = both?.embedded.documents ?? [];
  const expected = events.map((event, index) =>
    toDocument(event, {
      source: `urn:turnwatch:detector:${source.name}`,
      // A restarted one without a store numbers anew.
      sequence: Number(told[index]?.sequence ?? 0),
      linkBase: source.linkBase,
    }),
  );
  expect(told).toEqual(expected);
});
