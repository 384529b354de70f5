import { readdirSync } from 'node:fs';
import type { HostClass } from './producer/signal.ts';

/**
 * A host that may sleep is given more time before it counts as unreachable (002). On Linux one with a battery; macOS and
 * Windows hosts are taken for portable, since they cannot be asked cheaply.
 */
export function hostClassOf(
  platform: string = process.platform,
  supplies: () => readonly string[] = () => readdirSync('/sys/class/power_supply'),
): HostClass {
  if (platform === 'darwin' || platform === 'win32') return 'portable';
  if (platform !== 'linux') return 'server';
  try {
    return supplies().some((name) => name.startsWith('BAT')) ? 'portable' : 'server';
  } catch {
    // No such directory: containers and virtual machines have no power supplies to list.
    return 'server';
  }
}
