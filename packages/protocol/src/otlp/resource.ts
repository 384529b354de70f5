import type { AttributeValue, WireRecord } from '../record.ts';
import { serviceNameAttribute } from './selection.ts';

/** Attributes of the resource; `service.name` here is the default for records that name no service. */
export type ResourceAttributes = Readonly<Record<string, AttributeValue>>;

export interface Scope {
  readonly name: string;
  readonly version?: string;
}

export interface ResourceGroup {
  readonly attributes: ResourceAttributes;
  readonly records: readonly WireRecord[];
}

/** The service of a record is an attribute of its resource: one group for each service, in the order of their first record. */
export function groupByService(
  records: readonly WireRecord[],
  resource: ResourceAttributes,
): readonly ResourceGroup[] {
  const groups = new Map<string | undefined, WireRecord[]>();
  for (const record of records) {
    const group = groups.get(record.service);
    if (group === undefined) groups.set(record.service, [record]);
    else group.push(record);
  }
  return [...groups].map(([service, members]) => ({
    attributes: service === undefined ? resource : { ...resource, [serviceNameAttribute]: service },
    records: members,
  }));
}

/** INFO, so that pipelines which filter by severity keep the records. */
export const severityInfo = 9;

/** Whole numbers travel as int64, all others, and those that an int64 cannot hold exactly, as double. */
export function isInt(value: number): boolean {
  return Number.isSafeInteger(value);
}
