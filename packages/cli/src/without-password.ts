/** Of what may be a URL, to be shown: what stands before its host's `@` is nobody's to read, in a log or on a screen. */
export function withoutPassword(text: string): string {
  return text.replace(/[^/\s]*@/g, '…@');
}
