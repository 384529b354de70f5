export type { TokenScope } from '@turnwatch/protocol';
export type { TokenConfig } from './access/tokens.ts';
export { allMappers } from './capture/all-mappers.ts';
export {
  type ReplayedVerdict,
  type ReplayOptions,
  type ReplayResult,
  replayCapture,
} from './capture/replay-capture.ts';
export type { AsIfLearned } from './capture/simulated-detector.ts';
export { type Clocks, systemClocks, systemTimers, type Timers } from './clocks.ts';
export type { EndpointInput } from './config/endpoint-schema.ts';
export { type Environment, variables } from './config/environment.ts';
export { type ConfigSources, type LoadedConfig, loadConfig } from './config/load.ts';
export type { PluginInput } from './config/plugin-schema.ts';
export { ConfigError, type ConfigProblem } from './config/problem.ts';
export type { DetectorConfigInput } from './config/schema.ts';
export type {
  DetectorConfig,
  ListenConfig,
  LogFormat,
  LogLevel,
  PluginConfig,
  StoreConfig,
} from './config/shape.ts';
export type { TokenInput } from './config/token-schema.ts';
export { createDetectorService, type Detector, type DetectorOptions } from './detector.ts';
export type { Health } from './http/health.ts';
export { ListenError } from './http/listen.ts';
export { defaultIngestLimits, type IngestLimits } from './ingest/limits.ts';
export { detectorLog, type LeveledLogger } from './log/detector-log.ts';
export { type Logger, silentLogger } from './logger.ts';
export { builtInPlugins } from './plugins/built-ins.ts';
export {
  type LoadedDetector,
  loadDetector,
  loadPlugins,
  type PluginContext,
} from './plugins/load-plugins.ts';
export { PluginError } from './plugins/plugin-error.ts';
export { PluginSet } from './plugins/plugin-set.ts';
export type { ConfigChange } from './reload/config-change.ts';
export { type ConfigValue, effectiveValues } from './reload/effective-values.ts';
export { type Served, type ServeOptions, serve } from './serve.ts';
export { type Backup, backupStore, restoreStore } from './store/backup-store.ts';
export type { DeliveryFilter, DeliveryPosition } from './store/delivery-filter.ts';
export { MemoryStore } from './store/memory-store.ts';
export { SqliteStore } from './store/sqlite-store.ts';
export { StoreError, type StoreErrorCode } from './store/store-error.ts';
export type { StoredEndpoint, StoredSecret } from './store/stored-endpoint.ts';
export type { EventBounds, EventFilter, StoredEvent } from './store/stored-event.ts';
export type { Commit, DeliveryAttempt, StoredState, TurnStore } from './store/turn-store.ts';
