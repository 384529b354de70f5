import { Agent, request } from 'node:http';
import type { Signal } from '@turnwatch/core';
import { encodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { signalToRecord } from '@turnwatch/protocol/wire';
import { Load } from '../load.ts';
import { machineMs } from './machine-ms.ts';

// Running turns in processes of 100, each of which beats once a second over a connection of its own, as the lane does: one
// request under way, the newest state, nothing queued. Arguments: endpoint, turns.

export type LoadSaid =
  | { readonly kind: 'begun' }
  | {
      readonly kind: 'counts';
      /** Acknowledged since the start. */
      readonly records: number;
      readonly requests: number;
      readonly bytes: number;
      readonly failures: number;
      /** Beats that were not sent, since the one before was still under way. */
      readonly skipped: number;
    };

const [endpoint = '', turns = '0'] = process.argv.slice(2);
const load = new Load(Number(turns));
const processes = load.processes;
const agent = new Agent({ keepAlive: true });
const url = new URL('/v1/logs', endpoint);
const underWay = new Uint8Array(processes);
const counts = { records: 0, requests: 0, bytes: 0, failures: 0, skipped: 0 };
const startedMs = machineMs();
let clockMs = 0;

function advance(): void {
  const nowMs = machineMs() - startedMs;
  load.later(nowMs - clockMs);
  clockMs = nowMs;
}

function send(of: number, signals: readonly Signal[]): Promise<void> {
  const body = encodeLogsProtobuf(signals.map((signal) => signalToRecord(signal)));
  underWay[of] = 1;
  return new Promise((resolve) => {
    const done = (failed: boolean): void => {
      underWay[of] = 0;
      if (failed) counts.failures++;
      else {
        counts.requests++;
        counts.records += signals.length;
        counts.bytes += body.byteLength;
      }
      resolve();
    };
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/x-protobuf', 'content-length': body.byteLength },
    });
    sent.once('response', (response) => {
      response.resume();
      response.once('close', () => done(response.statusCode !== 200));
    });
    sent.once('error', () => done(true));
    sent.end(body);
  });
}

const stepMs = 10;
const beatMs = 1000;

for (let first = 0; first < processes; first++) {
  advance();
  await send(first, load.startOf(first));
}
process.send?.({ kind: 'begun' });

let cursor = 0;
const fromMs = machineMs();
setInterval(() => {
  // The beats of the processes are spread evenly over each second.
  const dueUntil = Math.floor(((machineMs() - fromMs) / beatMs) * processes);
  // A second that was missed altogether is not made up for.
  cursor = Math.max(cursor, dueUntil - processes);
  for (; cursor < dueUntil; cursor++) {
    const due = cursor % processes;
    if (underWay[due] === 1) {
      counts.skipped++;
      continue;
    }
    advance();
    void send(due, load.beatOf(due));
  }
}, stepMs);
process.on('message', () => process.send?.({ kind: 'counts', ...counts }));
process.on('disconnect', () => process.exit());
