// cardea keys: the keys that access tokens are signed with, listed and changed at the machine.
import { Command } from 'commander';
import { listSigningKeys, rotateSigningKeys } from '../identity/key-rotation.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import type { Context } from './context.ts';
import { withData } from './data.ts';

export function keysCommand(context: Context): Command {
  return new Command('keys')
    .summary('List and change the keys that access tokens are signed with')
    .description('List and change the keys that access tokens are signed with')
    .addCommand(listCommand(context))
    .addCommand(rotateCommand(context));
}

function listCommand(context: Context): Command {
  const command = newCommand('list', 'List the keys, the oldest first');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const keys = await withData(config, ({ store }) => listSigningKeys(store));
    const { terminal } = context;
    if (command.opts<{ json?: boolean }>().json === true) {
      terminal.printJson(keys);
      return;
    }
    for (const { kid, created, needed } of keys) {
      terminal.print(`${kid}  ${created}  ${needed === null ? 'signs' : `checks until ${needed}`}`);
    }
    if (keys.length === 0) terminal.note('There is no key yet; the first token request makes one.');
  });
}

function rotateCommand(context: Context): Command {
  const command = newCommand('rotate', 'Sign with a new key from now on').description(
    'Sign with a new key from now on. Old keys check the tokens they have signed until the last of them has ended; a later rotation then removes them. Servers notice within a second.',
  );
  command.option('--revoke', 'Remove all old keys at once: every token in use is refused');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { revoke, json } = command.opts<{ revoke?: boolean; json?: boolean }>();
    const old = revoke === true ? 'revoked' : 'kept';
    const rotation = await withData(config, ({ store }) => rotateSigningKeys(store, old));
    const { terminal } = context;
    if (json === true) {
      terminal.printJson(rotation);
      return;
    }
    terminal.print(`${rotation.kid} signs from now on.`);
    for (const kid of rotation.removed) terminal.print(`${kid} is gone.`);
  });
}
