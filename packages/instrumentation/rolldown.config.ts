import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

/** What `tsc` wrote beside the declarations would be published too, with imports of unpublished workspace packages. */
const onlyTheBundle: Plugin = {
  name: 'only-the-bundle',
  writeBundle({ dir = 'dist' }, bundle) {
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (/\.js(\.map)?$/.test(name) && !(name.replaceAll('\\', '/') in bundle)) rmSync(join(dir, name));
    }
  },
};

// The published package depends on nothing but OpenTelemetry's API: names and encoding of the wire are inlined.
export default defineConfig({
  input: {
    index: 'src/index.ts',
    setup: 'src/setup.ts',
    producer: 'src/producer.ts',
    framework: 'src/framework.ts',
    'ai-sdk': 'src/ai-sdk.ts',
    register: 'src/register.ts',
    supervisor: 'src/supervisor.ts',
    // Not for import: the heartbeat's thread starts from it, and looks for it beside the folder of its own chunk.
    'lane/worker': 'src/lane/worker.ts',
  },
  platform: 'node',
  external: [/^node:/, /^@opentelemetry\//],
  resolve: { conditionNames: ['@turnwatch/source', 'import', 'node', 'default'] },
  plugins: [onlyTheBundle],
  output: {
    dir: 'dist',
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
  },
});
