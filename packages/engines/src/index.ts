export { type PrometheusOptions, prometheus, prometheusProbe } from './prometheus.ts';
