import { ConfigError } from '../config/problem.ts';
import type { DetectorConfig } from '../config/shape.ts';
import { isLoopbackHost } from '../http/loopback.ts';

/**
 * What can run of a new configuration without a restart: where it listens and what it keeps stay as they are.
 * @throws {ConfigError} where the new one is safe only together with another listener.
 */
export function runningConfig(running: DetectorConfig, next: DetectorConfig): DetectorConfig {
  const { host, allowRemote } = running.listen;
  if (!isLoopbackHost(host) && !allowRemote && next.tokens.length === 0)
    throw new ConfigError([
      {
        source: 'reload',
        path: 'detector.tokens',
        message:
          `cannot be taken away while the detector listens on ${host}, which other machines reach; ` +
          'restart it with a listener on 127.0.0.1',
      },
    ]);
  const { publicUrl: _old, ...listen } = running.listen;
  const { publicUrl } = next.listen;
  const { deadman: _before, ...rest } = running;
  return {
    ...rest,
    listen: { ...listen, ...(publicUrl === undefined ? {} : { publicUrl }) },
    policy: next.policy,
    endpoints: next.endpoints,
    tokens: next.tokens,
    webhook: next.webhook,
    log: { ...running.log, level: next.log.level },
    retention: next.retention,
    canary: next.canary,
    ...(next.deadman === undefined ? {} : { deadman: next.deadman }),
  };
}
