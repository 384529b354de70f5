/** What the page of benchmarks says before any of them. */
const head = `# Benchmarks

Written by \`npm run bench -- NAME --write\`. Numbers are of the machine named with each; they are no promise of another.
`;

/** Puts the section of one benchmark into the page, in the place of an older one. */
export function withSection(page: string | undefined, name: string, machine: string, table: string): string {
  const begin = `<!-- ${name} -->`;
  const end = `<!-- end of ${name} -->`;
  const section = `${begin}\n## ${name}\n\n${machine}\n\n${table}\n${end}\n`;
  const known = page ?? head;
  const from = known.indexOf(begin);
  const to = known.indexOf(end);
  if (from < 0 || to < from) return `${known.trimEnd()}\n\n${section}`;
  return known.slice(0, from) + section + known.slice(to + end.length + 1);
}
