// cardea export: writes a tenant, or what a query finds of it, as files that cardea import reads,
// unchanged or anonymised.
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { ExportReport, TenantExport } from '../../export/tenant-export.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import type { Store, Tenant } from '../../service/ports/store.ts';
import {
  addFlag,
  addSettings,
  addTenantFlag,
  newCommand,
  readSettings,
} from '../common/command-line.ts';
import { type Context, UsageError } from '../common/context.ts';
import { damageSummary } from '../common/damaged-documents.ts';
import { chooseTenant, withData, withStore } from '../common/data.ts';
import { grouped } from '../common/terminal.ts';
import { openSearch } from '../search-command/searches.ts';
import {
  type AnonymiseFlags,
  addAnonymiseFlags,
  anonymiserOf,
  checkAnonymiseFlags,
} from './anonymise-flags.ts';
import { OutputFiles, type WrittenFile } from './output-files.ts';
import { QueryMatches } from './query-matches.ts';

interface Flags extends AnonymiseFlags {
  readonly to?: string;
  readonly tenant?: string;
  readonly query?: string;
  readonly index?: readonly IndexName[];
  readonly authUsers?: boolean;
  readonly profiles?: boolean;
  readonly gzip?: boolean;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

/** The names of the files, without `.gz`. */
const DOCUMENTS = 'documents.ndjson';
const AUTH_USERS = 'auth-users.ndjson';
const PROFILES = 'profiles.ndjson';

export function exportCommand(context: Context): Command {
  const command = newCommand('export', 'Write a tenant as files that cardea import reads')
    .description(
      'Write the search documents of a tenant, or what a query finds of them, into a directory, as files that cardea import reads: unchanged, or anonymised. A server may be running.',
    )
    .option('--to <directory>', 'Directory for the files; created if it is missing')
    .option('--query <query>', 'Only documents that match, and the documents they refer to');
  addFlag(
    command,
    '--index <names>',
    `Only these indexes, separated by commas: ${INDEX_NAMES.join(', ')}`,
    indexNames,
  );
  command
    .option('--auth-users', 'Also the auth users; with a query, those of exported identities')
    .option('--profiles', 'Also profile management, which a query does not limit');
  addTenantFlag(command, 'export');
  addAnonymiseFlags(command);
  command
    .option('--gzip', 'Compress the files')
    .option('--overwrite', 'Replace the files of an earlier export')
    .option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const flags = command.opts<Flags>();
    if (flags.to === undefined || flags.to === '') {
      throw new UsageError(['--to is missing: the directory for the files.']);
    }
    checkAnonymiseFlags(flags);
    const directory = resolve(flags.to);
    const { query } = flags;
    if (query === undefined) {
      await withStore(config, context, ({ store }) =>
        run({ store, query: null }, directory, flags, context),
      );
      return;
    }
    await withData(config, context, async (data) => {
      const tenant = await chooseTenant(data.store.read, flags.tenant);
      const source = await openSearch(data, { tenant }, config, context);
      const matches = new QueryMatches(source, query);
      await run({ store: data.store, query: matches }, directory, flags, context);
    });
  });
}

interface Source {
  readonly store: Store;
  /** null: everything. */
  readonly query: QueryMatches | null;
}

async function run(
  { store, query }: Source,
  directory: string,
  flags: Flags,
  context: Context,
): Promise<void> {
  const tenant = await chooseTenant(store.read, flags.tenant);
  const indexes = flags.index ?? INDEX_NAMES;
  const anonymiser = await anonymiserOf(flags);
  const { TenantExport: Class } = await import('../../export/tenant-export.ts');
  const tenantExport = new Class({
    ...{ records: store.read, tenantId: tenant.id, indexes, anonymiser },
    findMatches: query === null ? null : (index) => query.ids(index),
  });
  const total = await totalOf(store, tenant, { query, indexes, flags }, context);
  const names = [
    DOCUMENTS,
    ...(flags.authUsers === true ? [AUTH_USERS] : []),
    ...(flags.profiles === true ? [PROFILES] : []),
  ];
  const files = new OutputFiles(directory, [DOCUMENTS, AUTH_USERS, PROFILES], {
    gzip: flags.gzip === true,
    overwrite: flags.overwrite === true,
  });
  const written = await writeAll(files, names, tenantExport, total, context);
  const { report } = tenantExport;
  for (const field of anonymiser?.unusedKeeps ?? []) {
    context.terminal.note(`warning: --keep ${field}: no exported record has this field.`);
  }
  const shiftDays = anonymiser?.shiftDays ?? null;
  if (flags.json === true) {
    context.terminal.printJson({
      directory,
      tenant: tenant.name,
      files: written,
      ...report,
      shiftDays,
    });
  } else printResult(directory, written, report, shiftDays, flags, context);
}

/** The number of lines, for the progress; a query adds those that matches refer to. */
async function totalOf(
  store: Store,
  tenant: Tenant,
  {
    query,
    indexes,
    flags,
  }: { query: QueryMatches | null; indexes: readonly IndexName[]; flags: Flags },
  { terminal }: Context,
): Promise<number> {
  const profiles = flags.profiles === true ? await store.read.countProfiles(tenant.id, {}) : 0;
  if (query !== null) {
    const { total, warnings } = await query.count(indexes);
    for (const warning of warnings) terminal.note(`warning: ${warning}`);
    return total + profiles;
  }
  const counts = await store.read.documentCounts(tenant.id);
  return indexes.reduce((sum, index) => sum + counts[index], profiles);
}

/** Writes all files, or none. */
async function writeAll(
  files: OutputFiles,
  names: readonly string[],
  tenantExport: TenantExport,
  total: number,
  { terminal, stop }: Context,
): Promise<readonly WrittenFile[]> {
  const sources: Readonly<
    Record<string, () => AsyncIterable<{ bytes: Uint8Array; count: number }>>
  > = {
    [DOCUMENTS]: () => tenantExport.documents(),
    [AUTH_USERS]: () => tenantExport.authUsers(),
    [PROFILES]: () => tenantExport.profiles(),
  };
  const progress = terminal.progress('Exporting', total, 'lines');
  let before = 0;
  try {
    for (const name of names) {
      let lines = 0;
      await files.write(name, sources[name]?.() ?? noLines(), (count) => {
        stop.check();
        lines = count;
        progress.update(before + lines);
      });
      before += lines;
    }
    stop.check();
    return files.commit();
  } catch (error) {
    files.discard();
    throw error;
  } finally {
    progress.end();
  }
}

async function* noLines() {}

function printResult(
  directory: string,
  files: readonly WrittenFile[],
  { documents, referenced, authUsers, profiles, records, leftOut, damaged }: ExportReport,
  shiftDays: number | null,
  flags: Flags,
  { terminal }: Context,
): void {
  const count = Object.values(documents).reduce((sum, one) => sum + one, 0);
  const parts = [
    counted(count, 'document', referenced === 0 ? '' : ` (${grouped(referenced)} by reference)`),
    ...(flags.authUsers === true ? [counted(authUsers, 'auth user')] : []),
    ...(flags.profiles === true
      ? [counted(profiles, 'profile'), counted(records, 'other record')]
      : []),
  ];
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  terminal.print(`${directory}: ${parts.join(', ')}; ${grouped(bytes)} bytes.`);
  const omitted = [
    ...(leftOut.auditEvents > 0
      ? [`${counted(leftOut.auditEvents, 'event')} of the audit trail, which no import accepts`]
      : []),
    ...(leftOut.attachments > 0 ? [counted(leftOut.attachments, 'attachment')] : []),
    ...(leftOut.advancedSearches > 0
      ? [
          `${counted(leftOut.advancedSearches, 'advanced search', '', 'es')}, whose rules hold values`,
        ]
      : []),
    ...(leftOut.damagedDocuments > 0
      ? [damageSummary({ count: leftOut.damagedDocuments, documents: damaged })]
      : []),
  ];
  if (omitted.length > 0) terminal.note(`Left out: ${omitted.join('; ')}.`);
  if (shiftDays !== null && shiftDays !== 0) {
    terminal.note(
      `Dates are shifted by ${shiftDays} days: --now ${shiftDays < 0 ? '' : '+'}${shiftDays}d gives a server for tests the matching clock.`,
    );
  }
}

function counted(count: number, noun: string, addition = '', plural = 's'): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : plural}${addition}`;
}

function indexNames(text: string): readonly IndexName[] {
  return text.split(',').map((name) => {
    const index = INDEX_NAMES.find((candidate) => candidate === name.trim());
    if (index !== undefined) return index;
    throw new InvalidArgumentError(
      `must be some of ${INDEX_NAMES.join(', ')} (it is ${JSON.stringify(text)}).`,
    );
  });
}
