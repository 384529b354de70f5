import type { LiveBeat, LiveChange, LiveSnapshot } from '@turnwatch/protocol';
import type { DetectorTime } from './detector-time.ts';

/** A page of the page. */
export interface View {
  readonly title: string;
  readonly element: HTMLElement;
  /** Query of the stream it lives by. */
  readonly query: string;
  snapshot?(data: LiveSnapshot): void;
  change?(data: LiveChange): void;
  beat?(data: LiveBeat): void;
  /** Once a second, on the detector's clock; not while the connection is lost. */
  tick?(nowMs: number): void;
  leave?(): void;
}

/** What a view may use of the whole. */
export interface Place {
  readonly time: DetectorTime;
  /** Says it to those who do not see the screen, when they have time. */
  announce(text: string): void;
  /** The stream is asked for anew: the view's query is another one now. */
  restream(): void;
}
