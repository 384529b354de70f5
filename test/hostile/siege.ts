import { Agent } from 'node:http';
import { Attr } from '@turnwatch/protocol';
import { encodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { post, tally } from './answers.ts';
import type { AttackedDetector } from './attacked-detector.ts';
import type { Attack, Scale } from './attacks.ts';
import type { Usage } from './detector-child.ts';

export interface Siege extends Usage {
  readonly attack: string;
  /** What the attackers were answered. */
  readonly answers: string;
  /** Those that are not allowed. */
  readonly wrong: readonly string[];
  /** Records of the other source. */
  readonly beats: number;
  /** Its answers that were not 200. */
  readonly lost: readonly string[];
  /** Its longest wait for one, ms. */
  readonly worstMs: number;
  readonly tookMs: number;
}

/** Beats of the other source, ms apart: five times as often as an agent's. */
const beatMs = 200;

/** One attack, while another source goes on sending as ever. */
export async function besiege(detector: AttackedDetector, attack: Attack, scale: Scale): Promise<Siege> {
  await detector.usage();
  const turn = `calm beside ${attack.name}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const begun = performance.now();
  let over = false;
  let beats = 0;
  let worstMs = 0;
  const lost: string[] = [];
  const beat = async (): Promise<void> => {
    const sent = performance.now();
    const answer = await post(detector.url, { body: beatOf(turn, beats === 0, beats), agent });
    beats++;
    const tookMs = performance.now() - sent;
    worstMs = Math.max(worstMs, tookMs);
    if (answer !== '200') lost.push(answer);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, beatMs - tookMs)));
  };
  // The other source was there before.
  await beat();
  const calm = (async (): Promise<void> => {
    do await beat();
    while (!over);
  })();
  const answers = await attack.run(detector, scale);
  over = true;
  await calm;
  agent.destroy();
  const known = await fetch(`${detector.url}/v1/turns/${encodeURIComponent(turn)}`);
  if (known.status !== 200) lost.push(`its turn is answered ${known.status}`);
  await known.arrayBuffer();
  return {
    ...(await detector.usage()),
    attack: attack.name,
    answers: tally(answers),
    wrong: [...new Set(answers.filter((answer) => !attack.allowed.test(answer)))],
    beats,
    lost,
    worstMs,
    tookMs: performance.now() - begun,
  };
}

/** A record of another process, as an agent sends it. */
function beatOf(turn: string, first: boolean, seq: number): Uint8Array {
  return encodeLogsProtobuf([
    {
      eventName: first ? 'turnwatch.turn.started' : 'turnwatch.agent.step',
      timeMs: Date.now(),
      attributes: {
        [Attr.turnId]: turn,
        [Attr.processId]: 'calm',
        [Attr.bootId]: 'calm-boot',
        [Attr.seq]: seq + 1,
        [Attr.awakeMs]: Math.round(performance.now()),
      },
    },
  ]);
}
