import { cleanId, cleanText } from '@turnwatch/protocol/wire';
import type { TurnClock } from './awake-clock.ts';
import type { TurnOptions } from './options.ts';
import type { TurnIdentity } from './signal.ts';

export interface IdentityFacts {
  readonly clock: TurnClock;
  /** On the boot clock. */
  readonly deadlineMs: number | undefined;
  readonly service: string | undefined;
}

/** What does not change within one attempt of a turn, in clean strings. */
export function identityOf(
  options: TurnOptions,
  { clock, deadlineMs, service }: IdentityFacts,
): TurnIdentity {
  const startedAtMs = clock.wallMs();
  const id = (name: 'parentId' | 'parentCallId' | 'conversationId' | 'engineId' | 'traceId'): object =>
    options[name] === undefined ? {} : { [name]: cleanId(options[name]) };
  const text = (name: 'agent' | 'provider' | 'model' | 'managedBy'): object =>
    options[name] === undefined ? {} : { [name]: cleanText(options[name]) };
  return {
    ...id('parentId'),
    ...id('parentCallId'),
    ...id('conversationId'),
    ...text('agent'),
    ...(service === undefined ? {} : { service: cleanText(service) }),
    ...text('provider'),
    ...text('model'),
    route: options.route ?? 'api',
    ...id('engineId'),
    ...text('managedBy'),
    ...id('traceId'),
    startedAtMs: Math.round(startedAtMs),
    ...(deadlineMs === undefined
      ? {}
      : { expiresAtMs: Math.round(startedAtMs + deadlineMs - clock.bootMs()) }),
  };
}
