import type { Handmade } from '../by-hand.ts';
import { requestsByHand, startTurn } from '../instrumentation.ts';
import type { RequestHandle } from '../request.ts';
import type { WireOptions } from '../stream/wire-request.ts';
import { FrameworkRequest } from './framework-request.ts';
import { ImplicitRequest } from './implicit-request.ts';
import { providerOf } from './provider-of-host.ts';
import type { Settings } from './settings.ts';

/** Name of the agent that nobody has named. */
export const implicitAgent = 'implicit';

/**
 * To whom a model request belongs that is made in no turn. While a framework's package holds a request open, that one is
 * counted already: it gets the signs of life of these bytes, unless several are open and nobody says whose they are.
 * Otherwise the request is a turn by itself.
 */
export function outsideTurns({
  implicitTurns,
  outermost,
}: Pick<Settings, 'implicitTurns' | 'outermost'>): NonNullable<WireOptions['outside']> {
  const watched = new WeakSet<Handmade<RequestHandle>>();
  return (origin) => {
    const counted = requestsByHand();
    if (counted.length > 0) {
      const [only, ...others] = counted.filter((made) => !watched.has(made));
      if (only === undefined || others.length > 0) return undefined;
      watched.add(only);
      return () => new FrameworkRequest(only, () => void watched.delete(only));
    }
    if (implicitTurns !== 'request') return undefined;
    return ({ streaming, model }) => {
      const provider = outermost.provider ?? providerOf(origin);
      const turn = startTurn({ agent: outermost.agent ?? implicitAgent, provider, model });
      return new ImplicitRequest(turn, turn.request({ streaming, provider, model }));
    };
  };
}
