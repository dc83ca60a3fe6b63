// The command line: commands, --help, --version, and the reporting of errors.
// Invariant: exit code 0 is success, 1 a full or partial failure, 2 a wrong command line or setting,
// or something wrong with what they name, which no repetition mends.
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/config.ts';
import { fileFault } from '../config/file-fault.ts';
import { ServiceError } from '../errors.ts';
import { nearestName } from '../query/mapping/nearest-name.ts';
import { mcpCommand } from './assistant/mcp.ts';
import { auditCommand } from './audit.ts';
import { backupCommand, restoreCommand } from './backup.ts';

import { certificateCommand } from './certificate/certificate.ts';
import { pathOf } from './common/command-line.ts';
import { CommandError, type Context, StartFault, UsageError } from './common/context.ts';
import { serveCommand } from './common/serve.ts';
import { INTERRUPTED, Interrupted } from './common/stop-signal.ts';
import { framesOf } from './common/terminal.ts';
import { credentialCommand } from './credentials/credential-command.ts';
import { API_CLIENTS, API_KEYS, PERSONAL_ACCESS_TOKENS } from './credentials/credential-kinds.ts';
import { keysCommand } from './credentials/keys.ts';
import { demoCommand } from './demo/demo.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { startCommand } from './ephemeral/start.ts';
import { exportCommand } from './export/export.ts';
import { fieldCommand } from './field.ts';
import { healthCommand } from './health.ts';
import { examplesOf } from './help/examples.ts';
import { importCommand } from './import.ts';
import { migrateStoreCommand } from './migrate-store.ts';
import { mirrorCommand } from './mirror-command/mirror.ts';
import { reindexCommand } from './reindex.ts';
import { searchCommand } from './search-command/search.ts';
import { tenantCommand } from './tenant.ts';
import { userCommand } from './user.ts';
import { viewCommand } from './view.ts';

const FAILURE = 1;
const USAGE = 2;
/** Help has the same width in every terminal. */
const HELP_WIDTH = 100;

function buildProgram(context: Context): Command {
  const program = new Command('cardea')
    .description(
      'A self-hosted identity access service: auth users, capabilities, identity search and profiles.',
    )
    .version(context.version, '--version', 'Print the version')
    .addHelpText(
      'after',
      '\nEverything works with no settings: cardea demo. See docs/configuration.md.',
    );
  for (const createCommand of [
    serveCommand,
    demoCommand,
    startCommand,
    searchCommand,
    importCommand,
    mirrorCommand,
    exportCommand,
    reindexCommand,
    tenantCommand,
    userCommand,
    viewCommand,
    fieldCommand,
    credentialCommand(PERSONAL_ACCESS_TOKENS),
    credentialCommand(API_CLIENTS),
    credentialCommand(API_KEYS),
    keysCommand,
    certificateCommand,
    auditCommand,
    backupCommand,
    restoreCommand,
    doctorCommand,
    healthCommand,
    mcpCommand,
    migrateStoreCommand,
  ]) {
    program.addCommand(createCommand(context));
  }
  for (const command of withDescendants(program)) configure(command, context);
  return program;
}

function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}

function configure(command: Command, { terminal }: Context): void {
  const examples = examplesOf(pathOf(command));
  if (examples !== '') command.addHelpText('after', `\n${examples}`);
  command
    .helpOption('-h, --help', 'Print this help')
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({
      writeOut: terminal.raw.out,
      writeErr: terminal.raw.err,
      outputError: (text, write) => write(withSuggestion(text, command)),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

/** Commands of other tools, and what they are called here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  query: 'search',
  find: 'search',
  rows: 'search',
  load: 'import',
  dump: 'export',
  sync: 'mirror',
  copy: 'mirror',
  run: 'serve',
  server: 'serve',
  token: 'pat',
  tokens: 'pat',
  key: 'api-key',
  cert: 'certificate',
  tls: 'certificate',
  check: 'doctor',
  status: 'health',
  ls: 'list',
  rm: 'delete',
  remove: 'delete',
  add: 'create',
  new: 'create',
};

/** Adds what an unknown command is called here, or one that it is near. */
function withSuggestion(text: string, { commands }: Command): string {
  const [, name = ''] = /^error: unknown command '([^']+)'/.exec(text) ?? [];
  if (name === '') return text;
  const names = commands.map((command) => command.name());
  const other = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
  const here = other !== undefined && names.includes(other) ? other : nearestName(name, names);
  if (here !== null) return `error: unknown command '${name}'\n(Did you mean ${here}?)\n`;
  return `${text.trimEnd()}; cardea --help lists the commands.\n`;
}

/**
 * Runs one command line.
 * @param args without node and script
 * @returns the exit code
 */
export async function run(args: readonly string[], context: Context): Promise<number> {
  try {
    await buildProgram(context).parseAsync([...args], { from: 'user' });
    return context.exitCode;
  } catch (error) {
    return report(error, context);
  }
}

function report(error: unknown, context: Context): number {
  const { terminal } = context;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (error instanceof StartFault) {
    const code = report(error.cause, context);
    return code === FAILURE && isExplained(error.cause) && !mayPass(error.cause) ? USAGE : code;
  }
  if (error instanceof UsageError || error instanceof ConfigError) {
    for (const fault of error.faults) noteFault('error: ', fault, context);
    return USAGE;
  }
  if (error instanceof Interrupted) {
    terminal.note(error.message);
    return INTERRUPTED;
  }
  if (error instanceof ServiceError) {
    const { causes = [] } = error.details;
    // A cause may be the message with its place.
    const message = causes.find((cause) => cause.endsWith(error.message)) ?? error.message;
    noteFault('error: ', message, context);
    for (const cause of causes) if (!message.includes(cause)) noteFault('  ', cause, context);
  } else if (isExplained(error)) {
    const { path } = error as NodeJS.ErrnoException;
    const fault = path === undefined ? null : `${path} cannot be used: ${fileFault(error)}.`;
    terminal.note(`error: ${fault ?? error.message}`);
  } else {
    terminal.note(String(error));
    if (error instanceof Error) for (const frame of framesOf(error.stack)) terminal.note(frame);
  }
  return FAILURE;
}

/** Prints a fault, which may be a query text and, on a second line, `^` under a place in it. */
function noteFault(prefix: string, text: string, { terminal }: Context): void {
  const [, line = text, mark] = /^([^\n]*)\n( *\^)$/.exec(text) ?? [];
  terminal.note(prefix + line);
  if (mark !== undefined) terminal.note(' '.repeat(prefix.length) + mark);
}

/**
 * True for an error whose message suffices: one of ours, or of the operating system (EACCES, ENOSPC
 * …). Any other is a defect, and needs its stack.
 */
function isExplained(error: unknown): error is Error {
  return (
    error instanceof CommandError ||
    error instanceof ServiceError ||
    (error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string')
  );
}

/** True if trying again may help, as when a database does not answer yet. */
function mayPass(error: unknown): boolean {
  return error instanceof ServiceError && error.details.retryAfterSeconds !== undefined;
}
