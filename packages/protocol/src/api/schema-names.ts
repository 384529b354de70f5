import type { z } from 'zod';
import { webhookEvent } from '../event/schema.ts';
import { auditPage } from './audit-document.ts';
import { baselineDocument, baselineList } from './baseline-document.ts';
import { deliveryDocument, deliveryList } from './delivery-document.ts';
import {
  endpointAnswer,
  endpointDocument,
  endpointList,
  endpointRegistration,
  secretRotation,
} from './endpoint-document.ts';
import { eventPage } from './event-query.ts';
import { healthDocument, readyDocument } from './health-document.ts';
import { liveSnapshot } from './live-schema.ts';
import { exclusionRequest, muteRequest, orderRequest, thresholdRequest } from './operator-requests.ts';
import { orderDocument } from './order-document.ts';
import { pluginList } from './plugin-document.ts';
import { problem } from './problem.ts';
import { sourceList } from './source-document.ts';
import { timelineDocument } from './timeline-schema.ts';
import { toldDocument } from './told-document.ts';
import { turnDocument, turnList } from './turn-schema.ts';

/** What the schemas of the API description are called. Bodies of requests end in `Request`. */
export const schemaNames: ReadonlyMap<z.ZodType, string> = new Map<z.ZodType, string>([
  [turnDocument, 'Turn'],
  [turnList, 'TurnList'],
  [webhookEvent, 'Event'],
  [eventPage, 'EventPage'],
  [endpointDocument, 'Endpoint'],
  [endpointAnswer, 'EndpointAnswer'],
  [endpointList, 'EndpointList'],
  [endpointRegistration, 'RegisterEndpointRequest'],
  [secretRotation, 'RotateSecretRequest'],
  [deliveryDocument, 'Delivery'],
  [deliveryList, 'DeliveryList'],
  [healthDocument, 'Health'],
  [readyDocument, 'Readiness'],
  [liveSnapshot, 'Live'],
  [timelineDocument, 'Timeline'],
  [sourceList, 'SourceList'],
  [baselineDocument, 'Baseline'],
  [baselineList, 'BaselineList'],
  [auditPage, 'AuditPage'],
  [toldDocument, 'Told'],
  [orderDocument, 'Order'],
  [orderRequest, 'OrderRequest'],
  [muteRequest, 'MuteRequest'],
  [thresholdRequest, 'ThresholdRequest'],
  [exclusionRequest, 'ExclusionRequest'],
  [pluginList, 'PluginList'],
  [problem, 'Problem'],
]);
