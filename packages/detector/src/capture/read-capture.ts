import { type CapturedRequest, captureLine } from './capture-line.ts';
import { type CaptureBytes, captureLines } from './capture-lines.ts';

/** Its body in UTF-8, which is half of what a text takes and outside of the heap. */
export type KeptRequest = Omit<CapturedRequest, 'body'> & { readonly body: Buffer };

export interface ReadCapture {
  readonly lines: number;
  /** It is a gzip file that ends before its end. */
  readonly isCut: boolean;
  /** As they stand in the file. */
  readonly captured: readonly KeptRequest[];
}

/**
 * All requests of a capture, line by line: no file is too long for a text.
 * @throws Error where their bodies take more than this, and for a gzip file that is damaged
 */
export async function readCapture(bytes: CaptureBytes, memoryBytes: number): Promise<ReadCapture> {
  let lines = 0;
  let kept = 0;
  let isCut = false;
  const captured: KeptRequest[] = [];
  for await (const line of captureLines(bytes, () => {
    isCut = true;
  })) {
    lines++;
    const request = captureLine(line);
    if (request === undefined) continue;
    const body = Buffer.from(request.body);
    kept += body.length;
    if (kept > memoryBytes)
      throw new Error(
        `its requests take more than the ${Math.floor(memoryBytes / 1024 ** 2)} MiB of memory that are free, and they are put in order there; replay it in parts (split -C 500m)`,
      );
    captured.push({ ...request, body });
  }
  return { lines, isCut, captured };
}
