import { readFileSync } from 'node:fs';
import { parse, YAMLParseError } from 'yaml';
import { firstLine } from './environment.ts';
import { ConfigError } from './problem.ts';

/**
 * The content of a YAML or JSON file.
 * @throws {ConfigError} when it is not there, not readable, or no map of keys.
 */
export function readConfigFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
    throw new ConfigError([
      { source: path, path: '', message: `${why}; give the path of a YAML or JSON file` },
    ]);
  }
  try {
    const content: unknown = parse(text) ?? {};
    const detector = isMap(content) ? (content.detector ?? {}) : undefined;
    if (isMap(content) && isMap(detector)) return content;
    // Merging would drop it without a word, and the detector would start on its defaults.
    const at = isMap(content) ? 'detector' : '';
    throw new ConfigError([
      {
        source: path,
        path: at,
        message: 'must be a map of keys, as in `detector: { listen: { port: 4318 } }`',
      },
    ]);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new ConfigError([{ source: path, path: '', message: `is not YAML or JSON: ${firstLine(error)}` }]);
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
