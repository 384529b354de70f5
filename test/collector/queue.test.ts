import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePorts } from './free-port.ts';
import { isMissing } from './program.ts';
import { RealDetector } from './real-detector.ts';
import { RunningAgent } from './running-agent.ts';
import { configs, RunningCollector } from './running-collector.ts';

// The detector is away, the queue on disk runs full, the Collector crashes and comes back: nothing is lost.

const queueSize = 16;
/** The queue as it is, with room for a few seconds. */
const small = {
  exporters: {
    'otlp_http/turnwatch': { sending_queue: { queue_size: queueSize, batch: { min_size: 1, max_size: 8 } } },
  },
};

describe.skipIf(isMissing('otelcol'))('while the detector is away', { timeout: 90_000 }, () => {
  let collector: RunningCollector;
  let detector: RealDetector;
  let agent: RunningAgent;
  beforeEach(async () => {
    const [port = 0] = await freePorts(1);
    collector = await RunningCollector.start({
      config: configs.oneHost,
      environment: { TURNWATCH_DETECTOR_URL: `http://127.0.0.1:${port}` },
      over: small,
    });
    detector = await RealDetector.start(port, {
      canary: { routes: [{ path: 'collector', url: collector.url }] },
    });
    agent = await RunningAgent.start({ endpoint: collector.url, turns: ['goes-on', 'ends', 'falls-silent'] });
    await detector.reaches('ends', 'running');
  });
  afterEach(async () => {
    await agent?.end();
    await detector?.end();
    await collector?.end();
  });

  test('a full queue holds the senders back, a crash leaves it on disk, and all verdicts come', async () => {
    await detector.stop();
    await agent.tell({ kind: 'end', turns: ['ends'] });
    await agent.tell({ kind: 'fall silent', turns: ['falls-silent'] });
    // Full: not one more record of a turn has room.
    while ((await collector.own())('otelcol_exporter_queue_size', 'logs') < queueSize - 3) await delay(50);
    await delay(3000);
    const full = await collector.own();
    expect(full('otelcol_exporter_queue_size', 'logs')).toBeLessThanOrEqual(queueSize);
    expect(full('otelcol_exporter_sent_log_records_total')).toBeGreaterThan(0);
    expect(full('otelcol_exporter_send_failed_log_records_total')).toBe(0);
    // Those that were held back for too long were told so: they come again.
    expect(full('otelcol_exporter_enqueue_failed_log_records_total')).toBe(
      full('otelcol_receiver_refused_log_records_total'),
    );
    await collector.program.end('SIGKILL');
    expect(collector.onDisk()).toContain('falls-silent');
    await collector.program.start();

    await detector.start();
    await detector.isStale('falls-silent');
    await detector.reaches('ends', 'completed');
    await agent.tell({ kind: 'end', turns: ['goes-on'] });
    await detector.reaches('goes-on', 'completed');
    expect(detector.verdicts().filter(({ type }) => type !== 'turn.suspect')).toEqual([
      { turn: 'falls-silent', type: 'turn.stale', reason: 'silence' },
    ]);
    expect((await collector.own())('otelcol_exporter_queue_size', 'logs')).toBeLessThan(queueSize);
  });
});
