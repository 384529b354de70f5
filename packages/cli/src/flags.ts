import { parseArgs } from 'node:util';
import { nearest } from './nearest.ts';
import { UsageError } from './usage-error.ts';

/** What a flag takes: nothing, a text, or a number within bounds. */
interface Flag {
  readonly kind: 'switch' | 'text' | 'number';
  /** May be given more than once; then its value is a list. */
  readonly multiple?: boolean;
  /** Name of its value in the help. */
  readonly value?: string;
  readonly help: string;
  /** For numbers. Default: any. */
  readonly min?: number;
  readonly max?: number;
  /** For texts: nothing else is taken. */
  readonly oneOf?: readonly string[];
  /** Operands belong to this flag: `--scenario a b c` is `--scenario a --scenario b --scenario c`. */
  readonly takesOperands?: boolean;
}

export type FlagSet = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> = F['kind'] extends 'switch'
  ? boolean
  : F['kind'] extends 'number'
    ? number
    : string;

export type Flags<F extends FlagSet> = {
  readonly [N in keyof F]?: F[N] extends { readonly multiple: true }
    ? readonly ValueOf<F[N]>[]
    : ValueOf<F[N]>;
};

export interface Parsed {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly operands: readonly string[];
  readonly help: boolean;
}

/** @throws UsageError that names the argument and says what is taken in its place */
export function parseFlags(args: readonly string[], set: FlagSet): Parsed {
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(
        Object.entries(set).map(([name, { kind }]) => [
          name,
          { type: kind === 'switch' ? 'boolean' : 'string' } as const,
        ]),
      ),
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const flags: Record<string, unknown> = {};
  const operands: string[] = [];
  let help = false;
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    if (token.name === 'help') {
      help = true;
      continue;
    }
    const flag = Object.hasOwn(set, token.name) ? set[token.name] : undefined;
    if (flag === undefined) throw unknownFlag(token.rawName, set);
    const value = readValue(flag, token.rawName, token.value, token.inlineValue === true);
    if (flag.multiple === true)
      flags[token.name] = [...((flags[token.name] as unknown[] | undefined) ?? []), value];
    else flags[token.name] = value;
  }
  return { flags, operands, help };
}

function unknownFlag(rawName: string, set: FlagSet): UsageError {
  const known = [...Object.keys(set), 'help'];
  const meant = nearest(rawName.replace(/^-+/, ''), known);
  return new UsageError(
    `unknown flag ${rawName}; ${meant === undefined ? `known are ${known.map((name) => `--${name}`).join(', ')}` : `did you mean --${meant}?`}`,
  );
}

function readValue(flag: Flag, name: string, value: string | undefined, inline: boolean): unknown {
  if (flag.kind === 'switch') {
    if (inline) throw new UsageError(`${name} takes no value`);
    return true;
  }
  const wanted = flag.value ?? 'a value';
  if (value === undefined || (value.startsWith('--') && !inline))
    throw new UsageError(`${name} needs ${wanted} after it`);
  if (flag.kind === 'text') {
    if (flag.oneOf !== undefined && !flag.oneOf.includes(value))
      throw new UsageError(`${name} must be one of ${flag.oneOf.join(', ')}, not ${JSON.stringify(value)}`);
    if (value === '') throw new UsageError(`${name} needs ${wanted} that is not empty`);
    return value;
  }
  const number = value.trim() === '' ? Number.NaN : Number(value);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = flag;
  if (!(number >= min && number <= max) || !Number.isFinite(number))
    throw new UsageError(`${name} must be a number${boundsText(flag)}, not ${JSON.stringify(value)}`);
  return number;
}

function boundsText({ min, max }: Flag): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}
