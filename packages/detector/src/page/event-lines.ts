export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Server-sent events out of the pieces that a stream comes in. */
export class EventLines {
  #rest = '';
  #event = '';
  #data: string[] = [];

  /** What the piece completes. */
  push(piece: string): ServerEvent[] {
    const found: ServerEvent[] = [];
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') {
        if (this.#data.length > 0)
          found.push({ event: this.#event || 'message', data: this.#data.join('\n') });
        this.#event = '';
        this.#data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') this.#event = value;
      if (field === 'data') this.#data.push(value);
    }
    return found;
  }
}
