/** The known word that was probably meant; undefined where none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const farthest = Math.max(1, Math.floor(word.length / 3));
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const each of known) {
    const distance = each.startsWith(word) && word.length > 2 ? 0 : editDistance(word, each);
    if (distance <= farthest && (best === undefined || distance < best.distance))
      best = { word: each, distance };
  }
  return best?.word;
}

/** Letters to insert, drop, change or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
