// The command line: commands, --help, --version, and the reporting of errors.
// Invariant: exit code 0 is success, 1 a full or partial failure, 2 an invalid command line or
// setting.
import { Command, CommanderError } from 'commander';
import { ServiceError } from '../errors.ts';
import { apiKeyCommand } from './api-key.ts';
import { mcpCommand } from './assistant/mcp.ts';
import { auditCommand } from './audit.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { clientCommand } from './client.ts';
import { CommandError, type Context, UsageError } from './context.ts';
import { demoCommand } from './demo/demo.ts';
import { doctorCommand } from './doctor.ts';
import { startCommand } from './ephemeral/start.ts';
import { exportCommand } from './export/export.ts';
import { healthCommand } from './health.ts';
import { importCommand } from './import.ts';
import { keysCommand } from './keys.ts';
import { migrateStoreCommand } from './migrate-store.ts';
import { mirrorCommand } from './mirror-command/mirror.ts';
import { patCommand } from './pat.ts';
import { reindexCommand } from './reindex.ts';
import { serveCommand } from './serve.ts';
import { INTERRUPTED, Interrupted } from './stop-signal.ts';
import { tenantCommand } from './tenant.ts';
import { userCommand } from './user.ts';

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
    importCommand,
    mirrorCommand,
    exportCommand,
    reindexCommand,
    tenantCommand,
    userCommand,
    patCommand,
    clientCommand,
    apiKeyCommand,
    keysCommand,
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
  command
    .helpOption('-h, --help', 'Print this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: terminal.raw.out,
      writeErr: terminal.raw.err,
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
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

function report(error: unknown, { terminal }: Context): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (error instanceof UsageError) {
    for (const fault of error.faults) terminal.note(`error: ${fault}`);
    return USAGE;
  }
  if (error instanceof Interrupted) {
    terminal.note(error.message);
    return INTERRUPTED;
  }
  if (error instanceof CommandError) {
    terminal.note(`error: ${error.message}`);
  } else if (error instanceof ServiceError) {
    terminal.note(`error: ${error.message}`);
    for (const cause of error.details.causes ?? []) {
      if (!error.message.includes(cause)) terminal.note(`  ${cause}`);
    }
  } else if (isSystemError(error)) {
    terminal.note(`error: ${sentenceOf(error)}`);
  } else {
    terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return 1;
}

/** Errors of the operating system (EADDRINUSE, EACCES, ENOSPC …) need no stack trace. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/** The message of a system error; for a port in use, the most common one, with a remedy. */
function sentenceOf(error: NodeJS.ErrnoException & { address?: string; port?: number }): string {
  if (error.code !== 'EADDRINUSE') return error.message;
  return `Another program listens on ${error.address}:${error.port}: stop it, or choose another port with --port.`;
}
