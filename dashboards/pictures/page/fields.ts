import {
  applyFieldOverrides,
  cacheFieldDisplayNames,
  createTheme,
  type DataFrame,
  FieldColorModeId,
  FieldConfigOptionsRegistry,
  type FieldConfigPropertyItem,
  type GrafanaTheme2,
  identityOverrideProcessor,
  standardFieldConfigEditorRegistry,
  standardTransformers,
  standardTransformersRegistry,
  transformDataFrame,
} from '@grafana/data';
import { firstValueFrom } from 'rxjs';
import type { Panel } from './answer.ts';

export const theme: GrafanaTheme2 = createTheme({ colors: { mode: 'dark' } });

// What the panels of Grafana begin with, where a dashboard says nothing.
const custom: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  timeseries: {
    drawStyle: 'line',
    lineInterpolation: 'linear',
    lineWidth: 1,
    fillOpacity: 0,
    gradientMode: 'none',
    spanNulls: false,
    showPoints: 'auto',
    pointSize: 5,
    axisPlacement: 'auto',
    axisLabel: '',
    axisColorMode: 'text',
    scaleDistribution: { type: 'linear' },
    stacking: { mode: 'none', group: 'A' },
    thresholdsStyle: { mode: 'off' },
    hideFrom: { legend: false, tooltip: false, viz: false },
    lineStyle: { fill: 'solid' },
    barAlignment: 0,
    axisBorderShow: false,
    axisCenteredZero: false,
  },
  table: { align: 'auto', cellOptions: { type: 'auto' }, inspect: false },
};
const plain = [
  'unit',
  'min',
  'max',
  'decimals',
  'displayName',
  'noValue',
  'color',
  'thresholds',
  'mappings',
  'links',
];

function item(path: string, isCustom: boolean): FieldConfigPropertyItem {
  return {
    id: isCustom ? `custom.${path}` : path,
    path,
    isCustom,
    name: path,
    description: '',
    process: identityOverrideProcessor,
    shouldApply: () => true,
    settings: {},
    editor: () => null,
    override: () => null,
  } as unknown as FieldConfigPropertyItem;
}

function registryOf(type: string): FieldConfigOptionsRegistry {
  const own = new Set([
    ...Object.keys(custom[type] ?? {}),
    'width',
    'hideFrom',
    'align',
    'hidden',
    'axisSoftMax',
    'minWidth',
    'filterable',
  ]);
  return new FieldConfigOptionsRegistry(() => [
    ...plain.map((path) => item(path, false)),
    ...[...own].map((path) => item(path, true)),
  ]);
}

export function prepare(): void {
  standardFieldConfigEditorRegistry.setInit(() => plain.map((path) => item(path, false)));
  standardTransformersRegistry.setInit(
    () =>
      [...new Map(Object.values(standardTransformers).map((of) => [of.id, of])).values()].map(
        (transformation) => ({
          id: transformation.id,
          name: transformation.name,
          transformation: async () => transformation,
          editor: () => null,
          imageDark: '',
          imageLight: '',
        }),
      ) as never,
  );
}

/** Transformed, with units, thresholds, words and names as Grafana gives them. */
export async function fieldsOf(panel: Panel, frames: readonly DataFrame[]): Promise<DataFrame[]> {
  const data = await firstValueFrom(
    transformDataFrame([...(panel.transformations ?? [])] as never, [...frames]),
  );
  const { defaults, overrides } = panel.fieldConfig;
  const color = {
    mode: panel.type === 'timeseries' ? FieldColorModeId.PaletteClassic : FieldColorModeId.Thresholds,
  };
  const steps = (defaults.thresholds as { steps: { value: number | null }[] } | undefined)?.steps ?? [];
  for (const step of steps) step.value ??= Number.NEGATIVE_INFINITY;
  const drawn = applyFieldOverrides({
    data,
    fieldConfig: {
      defaults: {
        color,
        ...defaults,
        custom: { ...custom[panel.type], ...(defaults.custom as object | undefined) },
      },
      overrides,
    } as never,
    fieldConfigRegistry: registryOf(panel.type),
    replaceVariables: (text: string) => text,
    theme,
    timeZone: 'utc',
  });
  cacheFieldDisplayNames(drawn);
  return drawn;
}
