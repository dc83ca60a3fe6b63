// cardea certificate: a local certificate authority and a certificate, for programs that insist on
// TLS and on a host name of their own.
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { secretFileFault } from '../../config/exposure.ts';
import { addSettings, newCommand, readSettings } from '../common/command-line.ts';
import { type Context, UsageError } from '../common/context.ts';
import { usageLines } from './instructions.ts';
import { type Kept, keepCertificate, RENEWAL_DAYS } from './keep.ts';
import { certificateName } from './names.ts';

interface Flags {
  readonly dir?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function certificateCommand(context: Context): Command {
  const command = newCommand(
    'certificate',
    'Make a certificate for host names, and say how programs trust it',
  ).description(
    `Make a certificate for host names, and a local certificate authority that signs it, for programs that insist on TLS and on a host name of their own. The authority is made once and kept. The certificate is valid for 397 days; it is kept while its names are the same and it has more than ${RENEWAL_DAYS} days left. Without names it has those of the present certificate. localhost, 127.0.0.1 and ::1 are always in it.`,
  );
  command.argument('[name...]', 'Host names and IP addresses; *.example.org covers one level');
  command.option(
    '--dir <directory>',
    'Folder of the files [default: certificates in the data directory]',
  );
  command.option('--force', 'Make a new certificate also if the present one is sound');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, ['dataDir']);
  return command.action(async (given: readonly string[]) => {
    const config = readSettings(command, context);
    const { dataDir } = config;
    const { dir, force, json } = command.opts<Flags>();
    const names = checkedNames(given);
    const directory = dir === undefined ? join(dataDir, 'certificates') : resolve(dir);
    const kept = await keepCertificate(directory, names, {
      now: context.now(),
      renewal: force === true ? 'always' : 'if needed',
    });
    report(kept, config, json === true, context);
  });
}

/** @throws UsageError with a fault for each name that cannot be in a certificate */
function checkedNames(given: readonly string[]): string[] {
  const names: string[] = [];
  const faults: string[] = [];
  for (const text of given) {
    try {
      names.push(certificateName(text));
    } catch (error) {
      faults.push(`${JSON.stringify(text)} ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new UsageError(faults);
  return names;
}

function report(kept: Kept, config: Config, asJson: boolean, { terminal }: Context): void {
  const { files, names, dropped, authority, certificate } = kept;
  const expires = new Date(kept.expires).toISOString();
  for (const file of [files.authorityKey, files.key]) {
    const fault = secretFileFault(file);
    if (fault !== null) terminal.note(`warning: ${fault}`);
  }
  if (dropped.length > 0) {
    terminal.note(`The previous certificate was also for ${dropped.join(', ')}; this one is not.`);
  }
  if (authority === 'replaced') {
    terminal.note(
      'The authority was about to expire and is a new one: programs must trust it anew.',
    );
  }
  if (asJson) {
    terminal.printJson({ names, expires, certificate, authority, files });
    return;
  }
  const state = certificate === 'new' ? 'New certificate' : 'Certificate as before';
  terminal.print(`${state} for ${names.join(', ')}, until ${expires.slice(0, 10)}.`);
  for (const line of usageLines(kept, config)) terminal.print(line);
}
