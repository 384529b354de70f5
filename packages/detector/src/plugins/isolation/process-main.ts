import { once } from 'node:events';
import type { EngineProbe, ForeignRecord, SignalMapper, VerdictSink, WebhookEvent } from '@turnwatch/plugin';
import { systemClocks, systemTimers } from '../../clocks.ts';
import { assemble, findPlugin, OptionsError } from '../assemble.ts';
import { OwnHost } from '../own-host.ts';
import { Redactor } from '../redactor.ts';
import type { Declared, FromPlugin, IsolatedSpec, Method, PlainError, ToPlugin } from './messages.ts';

// The process of one isolated plugin. Nothing of the detector is in here: it may loop, leak or exit.

const say = (message: FromPlugin): void => {
  if (process.connected) process.send?.(message);
};
// A signal to the whole group, as by Ctrl-C, is the detector's to answer; without it there is nothing to do here.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
const [spec] = (await once(process, 'message')) as [IsolatedSpec];
// Somebody listens from here on, so that the channel keeps this process alive while the plugin is loaded.
process.on('message', () => undefined);
let redactor = new Redactor();
process
  .on('uncaughtException', (error) => say({ type: 'stray', error: plain(error) }))
  .on('unhandledRejection', (error) => say({ type: 'stray', error: plain(error) }));

type Work = (argument: unknown, signal: AbortSignal) => unknown;

try {
  const definition = await findPlugin(spec);
  const { kind, name } = definition.plugin;
  const id = spec.id ?? name;
  const line =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: object, message: string): void =>
      say({ type: 'log', level, fields, message });
  const host = new OwnHost({
    id,
    clocks: systemClocks(),
    timers: systemTimers(),
    logger: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    environment: spec.environment,
    network: kind === 'probe' && spec.loopbackOpen ? { ...spec.network, allowLoopback: true } : spec.network,
    onStray: (error) => say({ type: 'stray', error: plain(error) }),
  });
  redactor = host.redactor;
  const { instance } = await assemble(definition, spec, host);
  const methods = worksOf(instance);
  serve(methods);
  say({ type: 'loaded', loaded: { ...declared(instance), kind, id, methods: [...methods.keys()] } });
} catch (error) {
  say({
    type: 'refused',
    message: redactor.text(error instanceof Error ? error.message : String(error)),
    problems: error instanceof OptionsError ? error.problems : [],
  });
}

function worksOf(instance: object): ReadonlyMap<Method, Work> {
  const made = instance as Partial<VerdictSink & SignalMapper & EngineProbe>;
  const works = new Map<Method, Work>();
  if (typeof made.start === 'function') works.set('start', () => made.start?.());
  if (typeof made.stop === 'function') works.set('stop', () => made.stop?.());
  if (typeof made.probe === 'function') works.set('probe', (_none, signal) => made.probe?.(signal));
  if (typeof made.map === 'function')
    works.set('map', (records) => made.map?.(records as readonly ForeignRecord[]));
  if (typeof made.deliver === 'function')
    works.set('deliver', (given, signal) => {
      const { event, attempt, body } = given as { event: WebhookEvent; attempt: number; body: string };
      return made.deliver?.(event, { attempt, body, signal });
    });
  return works;
}

function declared(instance: object): Pick<Declared, 'engine' | 'selects' | 'precision' | 'exporterDelayMs'> {
  const { engine, selects, precision, exporterDelayMs } = instance as Partial<EngineProbe & SignalMapper>;
  return {
    ...(engine === undefined ? {} : { engine }),
    ...(selects === undefined ? {} : { selects }),
    ...(precision === undefined ? {} : { precision }),
    ...(exporterDelayMs === undefined ? {} : { exporterDelayMs }),
  };
}

function serve(works: ReadonlyMap<Method, Work>): void {
  const running = new Map<number, AbortController>();
  process.on('message', (message: ToPlugin) => {
    if (message.type === 'ping') say({ type: 'pong' });
    else if (message.type === 'abort')
      running.get(message.call)?.abort(new Error('the time for the call is over'));
    else void answer(message.call, works.get(message.method), message.argument);
  });
  async function answer(call: number, work: Work | undefined, argument: unknown): Promise<void> {
    const controller = new AbortController();
    running.set(call, controller);
    try {
      say({ type: 'done', call, value: await work?.(argument, controller.signal) });
    } catch (error) {
      say({ type: 'failed', call, error: plain(error) });
    } finally {
      running.delete(call);
    }
  }
}

function plain(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: redactor.text(String(error)) };
  const { code, status, retryAfterMs, permanent } = error as Partial<Record<keyof PlainError, unknown>>;
  return {
    name: error.name,
    message: redactor.text(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
    ...(typeof permanent === 'boolean' ? { permanent } : {}),
  };
}
