// The command that deletes a credential of a tenant, directly in the store.
import type { Command } from 'commander';
import type { Store } from '../../identity/ports/store.ts';
import { addSettings, addTenantFlag, newCommand, readSettings } from '../command-line.ts';
import type { Context } from '../context.ts';
import { chooseTenant, withStore } from '../data.ts';

export interface Deletion {
  readonly summary: string;
  /** The credential in the help, such as `key`. */
  readonly noun: string;
  /** The command that lists them, such as `api-key`. */
  readonly parent: string;
  /** The credential in the message, such as `API client`. */
  readonly named: string;
  /** @returns what was deleted */
  remove(store: Store, tenantId: string, id: string): Promise<{ readonly name: string }>;
}

export function deleteCommand(context: Context, deletion: Deletion): Command {
  const { summary, noun, parent, named } = deletion;
  const command = newCommand('delete', summary);
  command.argument('<id>', `Id of the ${noun}, as cardea ${parent} list shows it`);
  addTenantFlag(command, noun);
  addSettings(command, 'offline');
  return command.action(async (id: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName } = command.opts<{ readonly tenant?: string }>();
    await withStore(config, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const { name } = await deletion.remove(store, tenant.id, id);
      context.terminal.note(`The ${named} ${name} was deleted.`);
    });
  });
}
