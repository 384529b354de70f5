import { backupCommand } from './backup/command.ts';
import { checkCommand } from './check/command.ts';
import type { Command } from './command.ts';
import { demoCommand } from './demo/command.ts';
import { engineCommand } from './engine/command.ts';
import { pluginsCommand } from './plugins/command.ts';
import { replayCommand } from './replay/command.ts';
import { restoreCommand } from './restore/command.ts';
import { serveCommand } from './serve/command.ts';
import { tapCommand } from './tap/command.ts';
import { orderCommands, turnCommand, turnsCommand } from './turns/command.ts';
import { waitCommand } from './wait/command.ts';

/** In the order of the help. A new command is a folder with its `command.ts`. */
export const commands: readonly Command[] = [
  demoCommand,
  serveCommand,
  checkCommand,
  pluginsCommand,
  waitCommand,
  turnsCommand,
  turnCommand,
  ...orderCommands,
  tapCommand,
  engineCommand,
  replayCommand,
  backupCommand,
  restoreCommand,
];
