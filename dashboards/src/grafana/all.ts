import type { DashboardSpec } from './dashboard.ts';
import { detection } from './detection.ts';
import { engines } from './engines.ts';
import { pipeline } from './pipeline.ts';
import { turns } from './turns.ts';
import { webhooks } from './webhooks.ts';

export const dashboards: readonly DashboardSpec[] = [turns, detection, engines, pipeline, webhooks];
