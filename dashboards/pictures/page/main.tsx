import { type DataFrame, EventBusSrv, ThemeContext } from '@grafana/data';
import { GlobalStyles, PanelContextProvider } from '@grafana/ui';
import { createRoot } from 'react-dom/client';
import type { Panel, Shown } from './answer.ts';
import { fieldsOf, prepare, theme } from './fields.ts';
import { framesOf } from './frames.ts';
import { PanelBox } from './panel.tsx';

// The grid of Grafana.
const [cell, gap, columns, pageWidth, edge] = [30, 8, 24, 1600, 16];
const unit = (pageWidth - 2 * edge - gap * (columns - 1)) / columns;
const across = (cells: number) => cells * unit + (cells - 1) * gap;
const down = (cells: number) => cells * cell + (cells - 1) * gap;

declare global {
  interface Window {
    /** Draws a dashboard; settles when it is drawn. */
    show(shown: Shown): Promise<void>;
  }
}

prepare();
const root = createRoot(document.getElementById('root') as HTMLElement);
const bus = new EventBusSrv();

window.show = async (shown) => {
  const drawn = await Promise.all(
    shown.rows.map(async ({ title, panels }) => ({
      title,
      panels: await Promise.all(
        panels.map(async (panel) => ({
          panel,
          frames: await fieldsOf(panel, framesOf(panel.targets, shown.stepMs)),
        })),
      ),
    })),
  );
  root.render(<Board shown={shown} rows={drawn} key={shown.title} />);
  await document.fonts.ready;
  await new Promise((resolve) => setTimeout(resolve, 600));
};

interface DrawnRow {
  readonly title: string;
  readonly panels: readonly { readonly panel: Panel; readonly frames: DataFrame[] }[];
}

function Board({ shown, rows }: { shown: Shown; rows: readonly DrawnRow[] }) {
  const time = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <PanelContextProvider value={{ eventBus: bus, eventsScope: 'global' } as never}>
        <style>{`body { background: ${theme.colors.background.canvas}; margin: 0; }
          .nothing { display: flex; align-items: center; justify-content: center; color: ${theme.colors.text.secondary}; }`}</style>
        <main style={{ width: pageWidth, padding: edge, boxSizing: 'border-box' }}>
          <h1 style={{ fontSize: 20, margin: '0 0 2px' }}>{shown.title}</h1>
          <p style={{ color: theme.colors.text.secondary, margin: 0 }}>
            {shown.description} · {time(shown.fromMs)} to {time(shown.toMs)}
          </p>
          {rows.map((row) => (
            <DrawnRowBox key={row.title} {...row} shown={shown} />
          ))}
        </main>
      </PanelContextProvider>
    </ThemeContext.Provider>
  );
}

function DrawnRowBox({ title, panels, shown }: DrawnRow & { shown: Shown }) {
  const top = Math.min(...panels.map(({ panel }) => panel.gridPos.y));
  const end = Math.max(...panels.map(({ panel }) => panel.gridPos.y + panel.gridPos.h));
  return (
    <section>
      <h2 style={{ fontSize: 16, margin: '12px 0 6px' }}>⌄ {title}</h2>
      <div style={{ position: 'relative', height: down(end - top) }}>
        {panels.map(({ panel, frames }) => (
          <div
            key={panel.title}
            data-panel={panel.title}
            style={{
              position: 'absolute',
              left: panel.gridPos.x * (unit + gap),
              top: (panel.gridPos.y - top) * (cell + gap),
            }}
          >
            <PanelBox
              {...{ panel, frames, shown }}
              width={across(panel.gridPos.w)}
              height={down(panel.gridPos.h)}
            />
          </div>
        ))}
      </div>
    </section>
  );
}
