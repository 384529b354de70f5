import {
  type DataFrame,
  getDisplayValueAlignmentFactors,
  getFieldDisplayValues,
  type VizOrientation,
} from '@grafana/data';
import { BigValue, PanelChrome, TimeSeries, type UPlotConfigBuilder, VizRepeater } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import type { Panel, Shown } from './answer.ts';
import { theme } from './fields.ts';
import { Heatmap } from './heatmap.tsx';

interface Size {
  readonly width: number;
  readonly height: number;
}
interface Drawn {
  readonly panel: Panel;
  readonly frames: DataFrame[];
  readonly shown: Shown;
}

export function PanelBox({ width, height, ...drawn }: Drawn & Size) {
  const { title, description } = drawn.panel;
  return (
    <PanelChrome title={title} description={description} width={width} height={height}>
      {(innerWidth, innerHeight) => <Inside {...drawn} width={innerWidth} height={innerHeight} />}
    </PanelChrome>
  );
}

function Inside({ panel, frames, shown, width, height }: Drawn & Size) {
  const { defaults } = panel.fieldConfig;
  const empty = frames.every(({ length }) => length === 0);
  const noValue = String(defaults.noValue ?? 'No data');
  if (panel.type === 'stat') return <Stats {...{ panel, frames, width, height }} />;
  if (empty)
    return (
      <div className="nothing" style={{ width, height }}>
        {noValue}
      </div>
    );
  if (panel.type === 'table')
    return (
      <TableNG
        data={frames[0] as DataFrame}
        width={width}
        height={height}
        noValue={noValue}
        sortBy={(panel.options as { sortBy?: [] }).sortBy ?? []}
      />
    );
  if (panel.type === 'heatmap')
    return (
      <Heatmap
        frame={frames[0] as DataFrame}
        unit={(panel.options as unknown as { yAxis: { unit: string } }).yAxis.unit}
        width={width}
        height={height}
      />
    );
  if (panel.type !== 'timeseries')
    throw new Error(`the pictures have no ${panel.type}, as ${panel.title} is`);
  return (
    <TimeSeries
      frames={frames}
      width={width}
      height={height}
      timeZone="utc"
      legend={(panel.options as { legend: never }).legend}
      timeRange={rangeOf(shown)}
    >
      {(config: UPlotConfigBuilder) => {
        mark(config, shown);
        return null;
      }}
    </TimeSeries>
  );
}

const marked = new WeakSet<UPlotConfigBuilder>();

/** Annotations as dashed lines. */
function mark(config: UPlotConfigBuilder, { marks }: Shown): void {
  if (marked.has(config)) return;
  marked.add(config);
  config.addHook('draw', (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.setLineDash([4, 4]);
    for (const { atMs, color } of marks) {
      const x = plot.valToPos(atMs, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.strokeStyle = theme.visualization.getColorByName(color);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  });
}

function rangeOf({ fromMs, toMs }: Shown) {
  const at = (ms: number) => ({ valueOf: () => ms }) as never;
  return { from: at(fromMs), to: at(toMs), raw: { from: at(fromMs), to: at(toMs) } };
}

function valuesOf(panel: Panel, frames: DataFrame[], sparkline: boolean) {
  const { reduceOptions } = panel.options as { reduceOptions: { calcs: string[] } };
  return getFieldDisplayValues({
    fieldConfig: panel.fieldConfig as never,
    reduceOptions: { values: false, ...reduceOptions },
    sparkline,
    replaceVariables: (text: string) => text,
    theme,
    data: frames,
    timeZone: 'utc',
  });
}

function Stats({ panel, frames, width, height }: { panel: Panel; frames: DataFrame[] } & Size) {
  const options = panel.options as unknown as Record<string, never>;
  return (
    <VizRepeater
      getValues={() => valuesOf(panel, frames, options.graphMode !== 'none')}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      source={frames}
      width={width}
      height={height}
      itemSpacing={3}
      autoGrid
      renderCounter={0}
      orientation={options.orientation as VizOrientation}
      renderValue={({ value, alignmentFactors, count, width: w, height: h }) => (
        <BigValue
          value={value.display}
          count={count}
          alignmentFactors={alignmentFactors}
          theme={theme}
          width={w}
          height={h}
          sparkline={
            value.sparkline === undefined ? undefined : { ...value.sparkline, timeRange: undefined as never }
          }
          colorMode={options.colorMode}
          graphMode={options.graphMode}
          justifyMode={options.justifyMode}
          textMode={options.textMode}
          wideLayout
        />
      )}
    />
  );
}
