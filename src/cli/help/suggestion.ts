// Command lines that a message suggests, to be pasted into a shell.
import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { SETTINGS } from '../../config/settings/settings.ts';

/** A path as a word of a POSIX shell, quoted only if it needs to be. */
export function word(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** A command line for the same data: it names their directory, unless that is the default. */
export function sameData({ dataDir }: Pick<Config, 'dataDir'>, command: string): string {
  const isDefault = dataDir === resolve(SETTINGS.dataDir.byDefault ?? '');
  return isDefault ? command : `${command} --data-dir ${word(dataDir)}`;
}
