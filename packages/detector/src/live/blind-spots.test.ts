import type { TurnView } from '@turnwatch/core';
import { type SourcePath, type SourceProcess, sourceList } from '@turnwatch/protocol';
import { expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { silentLogger } from '../logger.ts';
import { serve } from '../serve.ts';
import { beatingOf, blindSpotsOf } from './blind-spots.ts';

const path = (more: Partial<SourcePath>): SourcePath => ({
  id: 'p',
  probed: true,
  canaryAgeMs: null,
  silent: true,
  processes: 0,
  openTurns: 0,
  ...more,
});
const spots = (...paths: readonly SourcePath[]) =>
  blindSpotsOf({ paths, processes: [], turns: [], unjudged: { traces: 0, metrics: 0 } }).map(
    ({ kind, about, turns }) => ({ kind, about, turns }),
  );

test('a path that nobody uses and no probe has come through is no blind spot', () => {
  expect(spots(path({ processes: 1 }))).toEqual([]);
});

test('one with open turns is, and one that the probe used to come through, before anybody relies on it', () => {
  expect(spots(path({ id: 'used', openTurns: 2 }), path({ id: 'lost', canaryAgeMs: 60_000 }))).toEqual([
    { kind: 'path_silent', about: 'used', turns: 2 },
    { kind: 'path_silent', about: 'lost', turns: 0 },
  ]);
  expect(spots(path({ silent: false, canaryAgeMs: 10, openTurns: 1 }))).toEqual([]);
});

test('the path of a mapper is none, whoever uses it; one with processes that beat and without a probe is', () => {
  const on = (precision: TurnView['precision']) =>
    blindSpotsOf({
      paths: [path({ id: 'mapper-codex', probed: false, openTurns: 1 })],
      processes: [],
      turns: [{ path: 'mapper-codex', process: 'codex', precision } as TurnView],
      unjudged: { traces: 0, metrics: 0 },
    });
  expect(on('coarse').map(({ kind }) => kind)).toEqual(['no_heartbeats']);
  expect(on('proven')).toMatchObject([
    { kind: 'path_silent', text: expect.stringMatching(/^No probe goes by this path/) },
  ]);
});

test('a process without heartbeats has none that could stop, nor a main thread that beats', () => {
  const turnOf = (process: string, precision: TurnView['precision']): TurnView =>
    ({ process, precision }) as TurnView;
  const turns = [turnOf('codex', 'coarse'), turnOf('agent', 'proven')];
  const processOf = (id: string): SourceProcess =>
    ({ id, worker: false, openTurns: 1, state: 'live' }) as SourceProcess;
  const kinds = blindSpotsOf({
    paths: [],
    processes: [processOf('codex'), processOf('agent')],
    turns,
    unjudged: { traces: 0, metrics: 0 },
  }).map(({ kind, about }) => [kind, about]);
  expect(kinds).toEqual([
    ['no_heartbeats', 'turns without heartbeats'],
    ['no_worker', 'agent'],
  ]);
  expect([...beatingOf(turns)]).toEqual(['agent']);
});

test('a detector as it comes, with all its mappers, has none', async () => {
  const { config } = loadConfig({ flags: { store: 'memory', listen: { port: 0 } } });
  const served = await serve(config, { logger: silentLogger, handleSignals: false });
  try {
    const { paths, blindSpots } = sourceList.parse(await (await fetch(`${served.url}/v1/sources`)).json());
    expect(paths.length).toBeGreaterThan(5);
    expect(blindSpots).toEqual([]);
  } finally {
    await served.stop();
  }
});
