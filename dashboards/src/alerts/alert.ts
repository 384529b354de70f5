import type { MetricKey } from '@turnwatch/protocol';

/** A series as promtool takes it, by the catalogue or the Collector's own: `values` is its notation, one a minute. */
export interface Given {
  readonly metric: MetricKey | 'up' | `otelcol_${string}`;
  readonly suffix?: '' | '_bucket' | '_sum' | '_count';
  readonly labels?: Readonly<Record<string, string>>;
  readonly values: string;
}

export interface AlertSpec {
  readonly name: string;
  readonly expr: string;
  /** How long it must hold; absent: at once. */
  readonly for?: string;
  readonly keepFiringFor?: string;
  readonly severity: 'critical' | 'warning' | 'info';
  /** What it is about, for inhibition: `blind` silences what nobody can know meanwhile. */
  readonly about: 'blind' | 'source' | 'turns' | 'delivery' | 'detector' | 'quality' | 'access';
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  readonly dashboard: 'turns' | 'detection' | 'engines' | 'pipeline' | 'webhooks';
  /** The page in docs/runbooks; by default the alert's own name. */
  readonly runbook?: string;
  /** A past in which it fires at `at` with these labels besides its own, and one in which it does not. */
  readonly fires: {
    readonly given: readonly Given[];
    readonly at: string;
    readonly labels: Readonly<Record<string, string>>;
    /** Its value as the annotations print it. */
    readonly says?: string;
  };
  readonly quiet: { readonly given: readonly Given[]; readonly at: string };
}
