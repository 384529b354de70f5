/** Where the binary of a program is or will be. */
export function binaryOf(name: 'otelcol' | 'prometheus'): string;
