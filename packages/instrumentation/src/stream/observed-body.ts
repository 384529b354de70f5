import type { BodyWatch } from './body-tap.ts';
import { type IdleClock, type IdleOptions, IdleWatch, type StreamIdleError } from './idle-timeout.ts';
import { type ObservedRequest, type ObserverOptions, StreamObserver } from './observer.ts';

/** A body read through an observer, with or without an idle time-out. */
export class ObservedBody implements BodyWatch {
  readonly observer: StreamObserver;
  readonly #idle: IdleWatch | undefined;
  /** Ends the body; set once there is one. */
  abort: (error: StreamIdleError) => void = () => undefined;

  /** @throws RangeError when the idle time-out is no positive number. */
  constructor(
    request: ObservedRequest,
    options: Omit<ObserverOptions, 'now' | 'onSign'>,
    clock: IdleClock,
    idle?: IdleOptions,
  ) {
    this.#idle = idle === undefined ? undefined : new IdleWatch(idle, clock, (error) => this.abort(error));
    this.observer = new StreamObserver(request, {
      ...options,
      now: clock.now,
      onSign: this.#idle === undefined ? undefined : (sign) => this.#idle?.sign(sign),
    });
  }

  pulling(): void {
    this.#idle?.pulling();
  }

  bytes(chunk: Uint8Array): void {
    this.observer.bytes(chunk);
    this.#idle?.arrived();
  }

  ended(): void {
    this.#idle?.stop();
    this.observer.ended();
  }

  failed(error: unknown): void {
    this.#idle?.stop();
    this.observer.failed(error);
  }

  cancelled(): void {
    this.#idle?.stop();
    this.observer.cancelled();
  }
}

/** For a stream that belongs to no turn. */
export const noRequest: ObservedRequest = {
  chunk: () => undefined,
  keepalive: () => undefined,
  lifecycle: () => undefined,
  promptRead: () => undefined,
  end: () => undefined,
};
