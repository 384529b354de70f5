// The I/O-free half of the instrumentation: everything is told to it, clocks included. Simulators drive it as agents do.

export {
  AwakeClock,
  type AwakeClockOptions,
  type ProducerClock,
  type TurnClock,
} from './producer/awake-clock.ts';
export type { Counters } from './producer/counters.ts';
export type * from './producer/options.ts';
export { type Beat, Producer, type ProducerOptions } from './producer/producer.ts';
export type * from './producer/signal.ts';
export { ProducerTurn, type TurnStatus } from './producer/turn.ts';
