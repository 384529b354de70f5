import type { Shown as Asked } from '../../src/pictures/asked.ts';

/** What Prometheus said to one query of a panel. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  /** Of a range: seconds since the epoch, and the number as text. */
  readonly values?: readonly (readonly [number, string])[];
  readonly value?: readonly [number, string];
}

export interface Target {
  readonly refId: string;
  readonly legendFormat: string;
  readonly instant?: boolean;
  readonly format?: string;
  readonly interval?: string;
  readonly series: readonly Series[];
}

export interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly options: Readonly<Record<string, never>>;
  readonly fieldConfig: { readonly defaults: Record<string, unknown>; readonly overrides: never[] };
  readonly transformations?: readonly { readonly id: string; readonly options: unknown }[];
  readonly targets: readonly Target[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A dashboard with its answers, as the page is handed it. */
export interface Shown extends Omit<Asked, 'rows'> {
  readonly rows: readonly Row[];
}
