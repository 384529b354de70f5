// Says what is missing before a tool fails in its own words. Plain JavaScript: it has to run on the host's own Node.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The repository's root, with a trailing slash. */
export const root = fileURLToPath(new URL('../', import.meta.url));

const oldestNode = [22, 19];

/** What stands in the way of running the tools, or undefined. */
export function whatIsMissing(nodeVersion = process.versions.node, exists = existsSync) {
  if (
    !['turbo', 'typescript', 'vitest'].every((name) => exists(`${root}node_modules/${name}/package.json`))
  ) {
    return 'The dependencies are not installed. Run `npm ci` in the repository root first.';
  }
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    return (
      `Node ${oldestNode.join('.')} or newer is needed, this is ${nodeVersion}. \`npm ci\` installs Node 24 on Linux ` +
      '(x64, arm64), Windows (x64) and macOS (x64), and npm scripts use it: start this through `npm run`, without ' +
      '`--omit=optional` at the install. On other machines install Node 24 yourself.'
    );
  }
  return undefined;
}

/** Ends the process with a message and code 1 when something is missing. */
export function preflight() {
  const missing = whatIsMissing();
  if (missing !== undefined) {
    console.error(`turnwatch: ${missing}`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) preflight();
