import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mappers } from '@turnwatch/mappers';
import type { SignalMapper } from '@turnwatch/plugin';
import { TestHost } from '@turnwatch/plugin/testing';
import { Attr, GenAi, SpanAttr } from '@turnwatch/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isMissing, pathOf } from './program.ts';
import { configs } from './running-collector.ts';

interface Config {
  readonly exporters: Readonly<Record<string, ExporterConfig>>;
  readonly processors: Readonly<Record<string, RedactionConfig>>;
  readonly service: {
    readonly pipelines: Readonly<
      Record<string, { readonly processors: readonly string[]; readonly exporters: readonly string[] }>
    >;
  };
}
interface ExporterConfig {
  readonly sending_queue?: { readonly storage?: string; readonly block_on_overflow?: boolean };
}
interface RedactionConfig {
  readonly ignored_key_patterns: readonly string[];
  readonly allowed_keys: readonly string[];
}

const read = (file: string): Config => parse(readFileSync(file, 'utf8')) as Config;
const all = Object.entries(configs);

describe.each(all)('the configuration %s', (_name, file) => {
  const config = read(file);

  test('filters contents before every queue on disk, and drops nothing there', () => {
    const onDisk = Object.entries(config.exporters).filter(
      ([, { sending_queue }]) => sending_queue?.storage !== undefined,
    );
    expect(onDisk.map(([name]) => name)).toEqual(['otlp_http/turnwatch']);
    for (const [name, { sending_queue }] of onDisk) {
      expect(sending_queue?.block_on_overflow).toBe(true);
      const before = Object.values(config.service.pipelines).filter(({ exporters }) =>
        exporters.includes(name),
      );
      expect(before.map(({ processors }) => processors)).toEqual([['memory_limiter', 'redaction/content']]);
    }
  });

  test('has no batch processor on the lane of liveness, and lanes of their own for spans and metrics', () => {
    expect(Object.keys(config.service.pipelines)).toEqual(['logs/turnwatch', 'traces/turnwatch', 'metrics']);
    expect(JSON.stringify(config.service)).not.toContain('batch');
  });

  test('lets through what the detector and its mappers read', async () => {
    const { ignored_key_patterns, allowed_keys } = config.processors['redaction/content'] as RedactionConfig;
    const patterns = ignored_key_patterns.map((pattern) => new RegExp(pattern));
    const passes = (key: string): boolean =>
      allowed_keys.includes(key) || patterns.some((pattern) => pattern.test(key));
    const made = await Promise.all(
      mappers.map(async (each) => (await each.create(undefined, new TestHost())) as SignalMapper),
    );
    const wanted = [
      ...Object.values({ ...Attr, ...SpanAttr }),
      ...Object.values(GenAi).flat(),
      ...made.flatMap(({ selects }) => [...(selects.attributes ?? []), ...(selects.resource ?? [])]),
    ];
    expect(wanted.filter((key) => !passes(key))).toEqual([]);
    expect(wanted.length).toBeGreaterThan(100);
  });
});

test('both filter the same', () => {
  const [one, other] = all.map(([, file]) => read(file).processors['redaction/content']);
  expect(one).toEqual(other);
});

describe.skipIf(isMissing('otelcol'))('otelcol validate', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwatch-configs-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const validate = (file: string): Promise<unknown> =>
    promisify(execFile)(pathOf('otelcol'), ['validate', '--config', file]);

  test.each(all)('takes %s', async (_name, file) => {
    await validate(file);
  });

  test.each(all)('takes %s with the older names of its components', async (name, file) => {
    const older = join(folder, `${name}.yaml`);
    const text = readFileSync(file, 'utf8').replaceAll('otlp_http', 'otlphttp');
    expect(text).not.toBe(readFileSync(file, 'utf8'));
    writeFileSync(older, text);
    await validate(older);
  });

  test('and would refuse an option that is not there', async () => {
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, readFileSync(configs.oneHost, 'utf8').replace('block_on_overflow', 'block_on_full'));
    await expect(validate(wrong)).rejects.toThrow('block_on_full');
  });
});
