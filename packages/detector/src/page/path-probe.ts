import type { SourcePath } from '@turnwatch/protocol';
import { type IconName, spell, type Tone } from './words.ts';

/** What is known of a path's probe, in words. */
export function probeOf({ probed, canaryAgeMs, silent, openTurns }: SourcePath): {
  readonly word: string;
  readonly icon: IconName;
  readonly tone: Tone;
} {
  if (!silent) return { word: 'comes back', icon: 'done', tone: 'live' };
  if (canaryAgeMs !== null) return { word: `lost for ${spell(canaryAgeMs)}`, icon: 'stale', tone: 'bad' };
  if (probed) return { word: 'not back yet', icon: 'stale', tone: 'bad' };
  // Each mapper is a path, whether or not its client runs here: that is no trouble.
  return openTurns === 0
    ? { word: 'not in use', icon: 'ended', tone: 'dim' }
    : { word: 'has none', icon: 'ended', tone: 'dim' };
}
