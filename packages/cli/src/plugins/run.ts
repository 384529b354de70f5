import { builtInPlugins, loadDetector } from '@turnwatch/detector';
import type { Run } from '../command.ts';
import type { pluginsFlags } from './command.ts';

/** What `--json` prints. */
interface Checked {
  readonly plugins: readonly {
    readonly id: string;
    readonly kind: string;
    readonly plugin: string;
    readonly isolated: boolean;
  }[];
  readonly builtIn: readonly { readonly name: string; readonly kind: string }[];
}

/** Loads and makes what the configuration names, and lets go of it again. */
export const runPlugins: Run<typeof pluginsFlags> = async (flags, _operands, output) => {
  const { plugins, warnings } = await loadDetector({
    ...(flags.config === undefined ? {} : { file: flags.config }),
    environment: process.env,
  });
  for (const warning of warnings) output.err(`turnwatch plugins: ${warning}\n`);
  const checked: Checked = {
    plugins: plugins.all.map(({ id, kind, config }) => ({
      id,
      kind,
      plugin: config.plugin,
      isolated: config.isolate === true,
    })),
    builtIn: builtInPlugins(),
  };
  await plugins.stop();
  output.out(flags.json ? `${JSON.stringify(checked)}\n` : textOf(checked));
  return 0;
};

function textOf({ plugins, builtIn }: Checked): string {
  const rows = plugins.map(({ id, kind, plugin, isolated }) => [
    'ok',
    kind,
    id,
    `${plugin}${isolated ? ' (in a thread of its own)' : ''}`,
  ]);
  return [
    ...(rows.length === 0 ? ['No plugins are configured.'] : table(rows)),
    '',
    'Built in, by name:',
    ...table(builtIn.map(({ name, kind }) => ['', kind, name])),
    '',
  ].join('\n');
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
