import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// The fuzzer of jazzer.js 4 is built against glibc 2.38 and libstdc++ 13 for three symbols that are new names of old
// functions. On an older Linux (Debian 12 has 2.36) it is loaded with those versions marked as optional and the three
// functions preloaded; it is the same fuzzer.

const newVersions = new Set(['GLIBC_2.38', 'GLIBCXX_3.4.32']);
const weak = 0x2;
const versionNeeds = 0x6ffffffe;
const shim = `
#include <stdlib.h>
long __isoc23_strtol(const char *s, char **e, int b) { return strtol(s, e, b); }
unsigned long __isoc23_strtoul(const char *s, char **e, int b) { return strtoul(s, e, b); }
void _ZSt21ios_base_library_initv(void) {}
`;

/** Marks the versions as optional in a file of the fuzzer; what it was is kept beside it. */
export function acceptOldGlibc(addon: string): void {
  const elf = readFileSync(addon);
  const sections = Number(elf.readBigUInt64LE(0x28));
  const [size, count] = [elf.readUInt16LE(0x3a), elf.readUInt16LE(0x3c)];
  const section = (at: number) => {
    const start = sections + at * size;
    return {
      type: elf.readUInt32LE(start + 4),
      offset: Number(elf.readBigUInt64LE(start + 24)),
      link: elf.readUInt32LE(start + 40),
    };
  };
  for (let at = 0; at < count; at++) {
    const { type, offset, link } = section(at);
    if (type !== versionNeeds) continue;
    const names = section(link).offset;
    const nameAt = (index: number): string => {
      const start = names + index;
      return elf.toString('latin1', start, elf.indexOf(0, start));
    };
    for (let need = offset, next = 1; next !== 0; need += next) {
      next = elf.readUInt32LE(need + 12);
      let version = need + elf.readUInt32LE(need + 8);
      for (let left = elf.readUInt16LE(need + 2); left > 0; left--) {
        if (newVersions.has(nameAt(elf.readUInt32LE(version + 8)))) elf.writeUInt16LE(weak, version + 4);
        version += elf.readUInt32LE(version + 12);
      }
    }
  }
  copyFileSync(addon, `${addon}.original`);
  writeFileSync(addon, elf);
}

/**
 * Builds the library to be preloaded; gives its path.
 * @throws where there is no C compiler.
 */
export function buildShim(folder: string): string {
  const source = join(folder, 'glibc-2.38.c');
  const library = join(folder, 'glibc-2.38.so');
  writeFileSync(source, shim);
  const built = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source], { encoding: 'utf8' });
  if (built.status !== 0)
    throw new Error(
      `this machine's glibc is older than 2.38, and what is missing cannot be built: ${built.error?.message ?? built.stderr}; ` +
        'install a C compiler, or fuzz on a newer Linux',
    );
  return library;
}
