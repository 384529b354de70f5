const least = [22, 15] as const;

/** What is wrong with the Node this runs on; undefined when it will do. @param version as `process.versions.node` has it */
export function nodeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > least[0] || (major === least[0] && minor >= least[1])) return undefined;
  // Agents run on 20; the detector's database is part of Node only since 22.
  return `Node ${least.join('.')} or newer is needed, this is ${version}; in this repository use npm run turnwatch`;
}
