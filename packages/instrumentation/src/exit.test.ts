import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { followExit, withinMs } from './exit.ts';

class Host extends EventEmitter {
  readonly pid = 77;
  readonly killed: string[] = [];

  kill(pid: number, signal: string): void {
    this.killed.push(`${pid} ${signal}`);
  }
}

function followed(hasNews = true, canFlushNow = false) {
  const host = new Host();
  const did: string[] = [];
  followExit(host, {
    hasNews: () => hasNews,
    farewell: (code) => did.push(`farewell ${code}`),
    canFlushNow: () => canFlushNow,
    flushNow: () => did.push('flushNow'),
    flush: async () => {
      did.push('flush');
    },
  });
  return { host, did };
}

const settled = (): Promise<void> => new Promise(setImmediate);

describe('followExit', () => {
  it('says goodbye and flushes at beforeExit', async () => {
    const { host, did } = followed();
    host.emit('beforeExit', 3);
    await settled();
    expect(did).toEqual(['farewell 3', 'flush']);
  });

  it('waits for the exit itself where another thread can send meanwhile', async () => {
    const { host, did } = followed(true, true);
    host.emit('beforeExit', 0);
    await settled();
    expect(did).toEqual([]);
    host.emit('exit', 3);
    expect(did).toEqual(['farewell 3', 'flushNow']);
    const logger = followed();
    logger.host.emit('exit', 0);
    expect(logger.did).toEqual([]);
  });

  it('does nothing when there is no news', async () => {
    const { host, did } = followed(false);
    host.emit('beforeExit', 0);
    host.emit('SIGTERM');
    await settled();
    expect(did).toEqual([]);
    expect(host.killed).toEqual(['77 SIGTERM']);
  });

  it('ends by the same signal after SIGTERM', async () => {
    const { host, did } = followed();
    host.emit('SIGTERM');
    await settled();
    expect(did).toEqual(['farewell undefined', 'flush']);
    expect(host.killed).toEqual(['77 SIGTERM']);
    expect(host.listenerCount('SIGTERM')).toBe(0);
  });

  it('leaves SIGTERM to an application that listens itself', async () => {
    const { host, did } = followed();
    host.on('SIGTERM', () => undefined);
    host.emit('SIGTERM');
    await settled();
    expect(did).toEqual(['flush']);
    expect(host.killed).toEqual([]);
  });

  it('says goodbye at an uncaught exception, unless the application handles it', async () => {
    const dying = followed();
    dying.host.emit('uncaughtExceptionMonitor');
    expect(dying.did).toEqual(['farewell 1', 'flush']);
    const handled = followed();
    handled.host.on('uncaughtException', () => undefined);
    handled.host.emit('uncaughtExceptionMonitor');
    expect(handled.did).toEqual([]);
    await settled();
  });
});

describe('withinMs', () => {
  it('takes failed work for done, and hung work for done when the time is over', async () => {
    await withinMs(60_000, () => Promise.reject(new Error('x')));
    await withinMs(10, () => new Promise(() => undefined));
  });
});
