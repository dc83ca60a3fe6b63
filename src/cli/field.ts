// cardea field: lists the dynamic fields of a tenant with what documents have, and sets the kind of one, by
// the server of the data directory, or by its search.
import { Command } from 'commander';
import { ServiceError } from '../errors.ts';
import { INDEX_NAMES } from '../query/mapping/document-types.ts';
import { jsonOf, type ServiceClient } from '../remote/service-client.ts';
import { ServiceRefusal } from '../remote/service-refusal.ts';
import { operatorOf } from '../service/audit/operator-event.ts';
import { FIELD_KINDS } from '../service/fields/field-values.ts';
import type { ListedField } from '../service/fields/fields.ts';
import { addSettings, addTenantFlag, newCommand, readSettings } from './common/command-line.ts';
import { CommandError, type Context, UsageError } from './common/context.ts';
import { chooseTenant, withData } from './common/data.ts';
import { grouped } from './common/terminal.ts';
import { openVisibility } from './search-command/searches.ts';

interface Flags {
  readonly tenant?: string;
  readonly index?: string;
  readonly json?: boolean;
}

/** The fields of a tenant. */
interface OwnFields {
  list(index: string | undefined): Promise<readonly ListedField[]>;
  set(index: string, name: string, body: object): Promise<ListedField>;
}

export function fieldCommand(context: Context): Command {
  const summary = 'List the dynamic fields of a tenant, and set the kind of one';
  return new Command('field')
    .summary(summary)
    .description(summary)
    .addCommand(listCommand(context))
    .addCommand(setCommand(context));
}

function listCommand(context: Context): Command {
  const command = newCommand('list', 'List dynamic fields with kinds, documents and examples');
  command.option('--index <name>', 'Only the fields of this index [default: all]');
  return finished(command, context, async (fields, { index, json }) => {
    if (index !== undefined) refuseOther('index', index, INDEX_NAMES);
    const rows = await fields.list(index);
    for (const row of rows) {
      if (json === true) context.terminal.printJson(row);
      else context.terminal.print(lineOf(row));
    }
    if (rows.length === 0) context.terminal.note('There is no dynamic field.');
  });
}

function setCommand(context: Context): Command {
  const command = newCommand('set', 'Set the kind of a dynamic field that all its values fit')
    .argument('<index>', 'Index, such as identities')
    .argument('<name>', 'Name of the field, such as attributes.costCenter')
    .argument('<kind>', `One of ${FIELD_KINDS.join(', ')}`);
  return finished(command, context, async (fields, { json }) => {
    const [index = '', name = '', kind = ''] = command.args;
    refuseOther('index', index, INDEX_NAMES);
    refuseOther('kind', kind, FIELD_KINDS);
    const row = await fields.set(index, name, { kind });
    if (json === true) context.terminal.printJson(row);
    else context.terminal.print(lineOf(row));
  });
}

/** @throws UsageError for a word that is none of these */
function refuseOther(what: string, word: string, words: readonly string[]): void {
  if (words.includes(word)) return;
  throw new UsageError([`${what} ${JSON.stringify(word)} is not one of ${words.join(', ')}`]);
}

/** Adds what both have: the flags, and the search of the data directory. */
function finished(
  command: Command,
  context: Context,
  work: (fields: OwnFields, flags: Flags) => Promise<void>,
): Command {
  addTenantFlag(command, 'fields').option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const flags = command.opts<Flags>();
    await withData(config, context, async (data) => {
      const { store, server } = data;
      const { id: tenantId } = await chooseTenant(store.read, flags.tenant);
      if (server !== null) {
        await work(servedFields(server.client(tenantId)), flags);
        return;
      }
      const { visibility, indexer } = await openVisibility(data, config, context);
      const { Fields } = await import('../service/fields/fields.ts');
      const progress = {
        waitUntilSearchable: (sequence: number, ms: number) => indexer.waitFor(sequence, ms),
      };
      const fields = new Fields({ store, visibility, progress, timeoutMs: config.queryTimeoutMs });
      const operator = operatorOf(tenantId);
      await work(
        {
          list: (index) => inReasons(fields.list(operator, { index })),
          set: (...change) => inReasons(fields.set(operator, ...change)),
        },
        flags,
      );
    });
  });
}

/** The fields of a server. */
function servedFields(server: ServiceClient): OwnFields {
  const path = '/admin/v1/fields';
  const call = <T>(request: Parameters<ServiceClient['call']>[0]): Promise<T> =>
    inReasons(server.call(request, ({ body }) => jsonOf(body) as T));
  return {
    list: (index) =>
      call({ method: 'GET', path: index === undefined ? path : `${path}?index=${index}` }),
    set: (index, name, body) => {
      const of = [index, name].map(encodeURIComponent).join('/');
      return call({ method: 'PATCH', path: `${path}/${of}`, body });
    },
  };
}

/** Fails with the reasons of a refusal, which are the same with and without a server. */
async function inReasons<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { causes = [error.message] } = error.details;
    throw new CommandError((error instanceof ServiceRefusal ? error.reasons : causes).join('; '));
  }
}

function lineOf({ index, name, kind, documents, examples, since }: ListedField): string {
  const counted = `${grouped(documents)} document${documents === 1 ? '' : 's'}`;
  const seen = since === null ? [] : [`since ${since.slice(0, 10)}`];
  return [index, name, kind, counted, ...seen, examples.join(' | ')].join('  ').trimEnd();
}
