/** Where the name of a line begins or ends. */
export interface LabelPlace {
  readonly x: number;
  readonly anchor: 'start' | 'end';
}

/** From a line to its name. */
const besidePx = 5;
/** The longer name, in the drawing's letters, with the way to its line. */
const suspectPx = 52;
const stalePx = 36;

/**
 * The names of the two lines of a distribution: suspicion to the left of its line and the verdict to the right, so that
 * neither is crossed by the other's line. Where an edge is too near, a name goes to the other side of both.
 */
export function lineLabels(
  suspectX: number,
  staleX: number,
  width: number,
): { readonly suspect: LabelPlace; readonly stale: LabelPlace } {
  const apart = staleX - suspectX;
  return {
    suspect:
      suspectX >= suspectPx
        ? { x: suspectX - besidePx, anchor: 'end' }
        : { x: (apart >= suspectPx ? suspectX : staleX) + besidePx, anchor: 'start' },
    stale:
      staleX <= width - stalePx
        ? { x: staleX + besidePx, anchor: 'start' }
        : { x: (apart >= stalePx ? staleX : suspectX) - besidePx, anchor: 'end' },
  };
}
