/** Whom is waited for. */
export interface Target {
  readonly kind: 'turn' | 'parent';
  readonly id: string;
}
