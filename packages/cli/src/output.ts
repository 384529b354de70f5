/** Where a command prints. Text is written as it is: a line ends with its own `\n`. */
export interface Output {
  /** For what was asked for. */
  out(text: string): void;
  /** For everything else. */
  err(text: string): void;
}
