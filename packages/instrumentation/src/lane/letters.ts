import type { ToWorker } from './message.ts';

// What the main thread tells the worker, as text: a structured clone of the same takes several times as long, on the
// agent's own thread. All of it is plain data: strings, finite numbers, lists and maps.

export function lettersOf(mail: readonly ToWorker[]): string {
  return JSON.stringify(mail);
}

export function messagesOf(letters: string): readonly ToWorker[] {
  return JSON.parse(letters) as readonly ToWorker[];
}
