import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePorts } from '../../collector/free-port.ts';
import { pathOf } from '../../collector/program.ts';
import { RunningProgram } from '../../collector/running-program.ts';
import type { Receiver } from './receiver.ts';

/**
 * The real Collector at its lightest: it decodes what comes and drops it. No processor, no queue, no metrics of its own,
 * so that what it costs is the price of receiving OTLP in Go.
 */
export const collector: Receiver = {
  name: 'OpenTelemetry Collector',
  detects: false,
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'turnwatch-bench-'));
    const [port, health] = await freePorts(2);
    const file = join(folder, 'collector.yaml');
    writeFileSync(
      file,
      stringify({
        extensions: { health_check: { endpoint: `127.0.0.1:${health}` } },
        receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
        exporters: { nop: null },
        service: {
          extensions: ['health_check'],
          telemetry: { metrics: { level: 'none' }, logs: { level: 'warn' } },
          pipelines: { logs: { receivers: ['otlp'], exporters: ['nop'] } },
        },
      }),
    );
    const program = await RunningProgram.start({
      command: pathOf('otelcol'),
      args: ['--config', file],
      readyUrl: `http://127.0.0.1:${health}/`,
    });
    return {
      url: `http://127.0.0.1:${port}`,
      pid: program.pid,
      heapBytes: () => Promise.resolve(undefined),
      async stop() {
        await program.end();
        rmSync(folder, { recursive: true });
      },
    };
  },
};
