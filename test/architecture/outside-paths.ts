import type { SourceFile } from './source-text.ts';

// Put together at run time, so that this file does not name them itself.
const sharedFolder = ['..', 'shared'].join('/');
const workFolder = new RegExp(`(?:^|[^\\w.~/-])/${'work'}/`);

/** A clone has to stand on its own: which lines of a file name folders outside of the repository. */
export function outsidePathFaults({ path, text }: SourceFile): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.includes(sharedFolder) || workFolder.test(line)
        ? [`${path}:${index + 1}: names a folder outside of the repository`]
        : [],
    );
}
