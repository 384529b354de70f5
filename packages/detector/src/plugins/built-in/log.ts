import { definePlugin, type Plugin } from '@turnwatch/plugin';
import { verdictText } from '@turnwatch/webhook/sinks';
import { z } from 'zod';

interface LogOptions {
  /** Default `warn`. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

const optionsSchema: z.ZodType<LogOptions> = z.strictObject({
  level: z.enum(['debug', 'info', 'warn', 'error']).default('warn'),
});

/** Every verdict as a line in the detector's log, in words: for those whose alarms read logs. */
export const log: Plugin<'sink', LogOptions> = definePlugin({
  apiVersion: 1,
  kind: 'sink',
  name: 'log',
  optionsSchema,
  create: ({ level }, host) => ({
    async deliver(event) {
      host.logger[level]({ event: event.id, type: event.type, turn: event.subject }, verdictText(event));
    },
  }),
});
