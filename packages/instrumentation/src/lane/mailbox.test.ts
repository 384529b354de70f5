import { beforeEach, describe, expect, it } from 'vitest';
import { HandTimers } from '../../fixtures/hand-timers.ts';
import { Mailbox } from './mailbox.ts';

let timers: HandTimers;
let posted: (readonly string[])[];
let mailbox: Mailbox<string>;

beforeEach(() => {
  timers = new HandTimers();
  posted = [];
  mailbox = new Mailbox({ timers, monoMs: () => timers.nowMs, post: (mail) => posted.push(mail) });
});

describe('Mailbox', () => {
  it('posts the first message after a pause at once', () => {
    mailbox.put('a');
    timers.pass(25);
    mailbox.put('b');
    expect(posted).toEqual([['a'], ['b']]);
  });

  it('posts those that follow within 25 ms together, in their order', () => {
    mailbox.put('a');
    mailbox.put('b');
    timers.pass(10);
    mailbox.put('c');
    expect(posted).toEqual([['a']]);
    timers.pass(15);
    expect(posted).toEqual([['a'], ['b', 'c']]);
  });

  it('posts all that waits when it is told to, and nothing of it a second time', () => {
    mailbox.put('a');
    mailbox.put('b');
    mailbox.post();
    timers.pass(100);
    mailbox.post();
    expect(posted).toEqual([['a'], ['b']]);
  });

  it('waits anew after a post that somebody asked for', () => {
    mailbox.put('a');
    timers.pass(20);
    mailbox.put('b');
    mailbox.post();
    mailbox.put('c');
    timers.pass(5);
    expect(posted).toEqual([['a'], ['b']]);
    timers.pass(20);
    expect(posted).toEqual([['a'], ['b'], ['c']]);
  });
});
