import type { AnyPlugin, PluginHost, PluginKind } from '@turnwatch/plugin';
import { builtIns } from './built-ins.ts';
import { checkOptions, type OptionProblem } from './check-options.ts';
import { type FoundModule, findModule } from './find-module.ts';
import { checkInstance, importPlugin } from './import-plugin.ts';
import { MissingSecret } from './own-host.ts';
import { PluginError } from './plugin-error.ts';

/** What the configuration says of one plugin, as far as its own code is concerned. */
export interface PluginSpec {
  readonly plugin: string;
  readonly directory: string;
  readonly options: Readonly<Record<string, unknown>> | undefined;
}

export interface Definition {
  readonly plugin: AnyPlugin;
  /** Empty where it is built in. */
  readonly folder: string;
}

/** @throws PluginError where there is no such plugin, or none that can be used */
export async function findPlugin({ plugin, directory }: PluginSpec): Promise<Definition> {
  const builtIn = builtIns.get(plugin);
  if (builtIn !== undefined) return { plugin: builtIn, folder: '' };
  const found: FoundModule = findModule(plugin, directory);
  return { plugin: await importPlugin(found, plugin), folder: found.folder };
}

/** Thrown where options do not fit; each problem has its place below the entry. */
export class OptionsError extends PluginError {
  readonly problems: readonly OptionProblem[];

  private constructor(problems: readonly OptionProblem[]) {
    super(problems.map(({ message }) => message).join('; '), ['options']);
    this.problems = problems;
  }

  /** Of paths that begin at the entry. */
  static of(problems: readonly OptionProblem[]): OptionsError {
    return new OptionsError(problems);
  }

  /** Of paths that begin below `options`. */
  static below(problems: readonly OptionProblem[]): OptionsError {
    return new OptionsError(problems.map(({ path, message }) => ({ path: ['options', ...path], message })));
  }
}

/**
 * Checks the options and makes the instance.
 * @throws OptionsError, PluginError
 */
export async function assemble(
  { plugin }: Definition,
  spec: PluginSpec,
  host: PluginHost,
): Promise<{ readonly kind: PluginKind; readonly instance: object }> {
  const checked = await checkOptions(plugin.optionsSchema, spec.options);
  if (checked.problems !== undefined) throw OptionsError.below(checked.problems);
  let instance: unknown;
  try {
    instance = await plugin.create(checked.value as never, host);
  } catch (error) {
    if (error instanceof MissingSecret) throw OptionsError.below([secretProblem(error, spec)]);
    if (error instanceof PluginError) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw new PluginError(`its create() threw: ${text.slice(0, 400)}`, ['plugin'], error);
  }
  checkInstance(plugin.kind, instance, spec.plugin);
  return { kind: plugin.kind, instance: instance as object };
}

/** Beside the option that names the variable, where there is one. */
function secretProblem({ variable, message }: MissingSecret, { options = {} }: PluginSpec): OptionProblem {
  const key = Object.keys(options).find((name) => options[name] === variable);
  return { path: key === undefined ? [] : [key], message };
}
