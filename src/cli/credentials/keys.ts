// cardea keys: lists and rotates the signing keys of access tokens, and re-encrypts them with a new
// secrets key, directly in the store.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { listSigningKeys, rotateSigningKeys } from '../../service/credentials/key-rotation.ts';
import { addSettings, newCommand, readSettings } from '../common/command-line.ts';
import { type Context, opening, UsageError } from '../common/context.ts';
import { withStore } from '../common/data.ts';

export function keysCommand(context: Context): Command {
  return new Command('keys')
    .summary('List and rotate the keys that sign access tokens')
    .description('List and rotate the keys that sign access tokens')
    .addCommand(listCommand(context))
    .addCommand(rotateCommand(context))
    .addCommand(resealCommand(context));
}

function listCommand(context: Context): Command {
  const command = newCommand('list', 'List the keys, oldest first');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const keys = await withStore(config, context, ({ store }) => listSigningKeys(store));
    const { terminal } = context;
    if (command.opts<{ json?: boolean }>().json === true) {
      terminal.printJson(keys);
      return;
    }
    for (const { kid, created, needed } of keys) {
      terminal.print(`${kid}  ${created}  ${needed === null ? 'signs' : `checks until ${needed}`}`);
    }
    if (keys.length === 0)
      terminal.note('There is no key yet; the first token request creates one.');
  });
}

function rotateCommand(context: Context): Command {
  const command = newCommand('rotate', 'Sign with a new key from now on').description(
    'Sign with a new key from now on. Old keys verify the tokens they have signed until the last of these expires; a later rotation then removes them. Servers use the new key within a second.',
  );
  command.option('--revoke', 'Remove all old keys at once: every token in use is refused');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { revoke, json } = command.opts<{ revoke?: boolean; json?: boolean }>();
    const old = revoke === true ? 'revoked' : 'kept';
    const rotation = await withStore(config, context, ({ store }) => rotateSigningKeys(store, old));
    const { terminal } = context;
    if (json === true) {
      terminal.printJson(rotation);
      return;
    }
    terminal.print(`${rotation.kid} signs from now on.`);
    for (const kid of rotation.removed) terminal.print(`${kid} was removed.`);
  });
}

function resealCommand(context: Context): Command {
  const command = newCommand(
    'reseal',
    'Seal the keys in the store with a new secrets key',
  ).description(
    'Seal the keys in the store with a new secrets key. It replaces the one in the key file, which servers reload; with --new-key-file it is read from there, and servers must be restarted with that file.',
  );
  command.option('--new-key-file <file>', 'File of the new key; created if missing');
  addSettings(command, 'offline');
  return command.action(async () => {
    const { secretsKey, ...config } = readSettings(command, context);
    const { newKeyFile } = command.opts<{ newKeyFile?: string }>();
    if (newKeyFile === undefined && secretsKey?.kind !== 'file') {
      throw new UsageError([
        '--new-key-file is missing: only a key from a file can be replaced in place.',
      ]);
    }
    const { makeKeyFile, readKeyFile, stageKeyFile } = await import('../../compose/store.ts');
    await withStore({ ...config, secretsKey }, context, async ({ resealSecrets }) => {
      if (newKeyFile !== undefined) {
        const path = resolve(newKeyFile);
        const key = await opening(async () => readKeyFile(path) ?? makeKeyFile(path));
        const count = await resealSecrets(key);
        context.terminal.note(
          `${count} signing keys are sealed with the key in ${path}: set CARDEA_SECRETS_KEY_FILE to it on all nodes and restart them.`,
        );
        return;
      }
      if (secretsKey?.kind !== 'file') return;
      const staged = stageKeyFile(secretsKey.path);
      const count = await resealSecrets(staged.key);
      staged.install();
      context.terminal.note(
        `${count} signing keys are sealed with a new key in ${secretsKey.path}.`,
      );
    });
  });
}
