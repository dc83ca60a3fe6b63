// cardea mirror: copies a remote tenant into a local one and keeps it current, shows how current it
// is, or compares the two. A server may run on the data directory; it makes the copy searchable.
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../config/config.ts';
import { readRegularFile } from '../../config/file-fault.ts';
import { addFlag, addSettings, newCommand, readSettings } from '../common/command-line.ts';
import { type Context, UsageError } from '../common/context.ts';
import { withStore } from '../common/data.ts';
import { readNamed } from '../common/whole-file.ts';
import { type MirrorOrder, mirrorTenant, verifyTenant } from './mirror-session.ts';
import { showStatus } from './mirror-status.ts';

interface Flags {
  readonly from?: URL;
  readonly name?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly profilesFrom?: URL;
  readonly authUsers?: string;
  readonly watch?: number;
  readonly status?: boolean;
  readonly verify?: boolean;
  readonly sample?: number | 'all';
  readonly full?: boolean;
  readonly overlap?: number;
  readonly sweepEvery?: number;
  readonly allowShrinking?: boolean;
  readonly rate?: MirrorOrder['rate'];
  readonly json?: boolean;
}

/** The vendor's services say that changes appear in searches after seconds to minutes. */
const OVERLAP_MS = 15 * 60_000;
const SWEEP_EVERY_MS = 24 * 3_600_000;
/** Below the vendor's 100 requests in 10 s, which other programs of the same client share. */
const RATE = { requests: 90, seconds: 10 };
const SAMPLE = 500;

export function mirrorCommand(context: Context): Command {
  const command = newCommand(
    'mirror',
    'Copy a remote tenant, and keep the copy current',
  ).description(
    'Copy the documents, auth users and profiles of a remote tenant into a local one, and keep the copy current. The first run copies everything, later ones what changed and what was deleted. A run that was interrupted, in whatever way, is continued by the next one. A server may be running.',
  );
  addSourceFlags(command);
  addRunFlags(command);
  command
    .option('--status', 'Only show how current the copy is, counts and the last runs')
    .option('--verify', 'Only compare the copy with the remote tenant; exit code 1 if they differ');
  addFlag(
    command,
    '--sample <number|all>',
    `Documents of each index to compare with --verify [default: ${SAMPLE}]`,
    sampleOf,
  );
  command.option('--json', 'Print results as JSON, one line for each run');
  addSettings(command, 'offline');
  addSettings(command, ['allowPrivateUrls']);
  return command.action(async () => {
    const config = readSettings(command, context);
    const flags = command.opts<Flags>();
    refuseConflicts(flags);
    if (flags.status === true) {
      const options = { name: flags.name, json: flags.json === true };
      await withStore(config, context, ({ store }) => showStatus(store, options, context));
      return;
    }
    const order = orderOf(flags, config, context);
    if (flags.verify === true) await verifyTenant(order, flags.sample ?? SAMPLE, context);
    else await mirrorTenant(order, flags.watch ?? null, context);
  });
}

function addSourceFlags(command: Command): void {
  addFlag(
    command,
    '--from <url>',
    'Base URL of the remote tenant, such as https://acme.api.identitynow.com [default: as before]',
    urlOf,
  );
  command
    .option('--name <name>', 'Name of the local tenant [default: that of the remote one]')
    .option('--client-id <id>', 'Id of its API client or personal access token [SAIL_CLIENT_ID]')
    .option(
      '--client-secret <secret>',
      'Its secret; better in the environment [SAIL_CLIENT_SECRET]',
    );
  addFlag(
    command,
    '--profiles-from <url>',
    'Base URL of its profile management, read with the key in NERM_TOKEN [default: as before]',
    urlOf,
  );
  command.option(
    '--auth-users <all|none|file>',
    'Auth users to mirror: of all identities, none, or those of a file with one id per line [default: as before, none at first]',
  );
}

function addRunFlags(command: Command): void {
  addFlag(
    command,
    '--watch <interval>',
    'Keep running, and begin a run so often: 30s, 5m, 2h, 1d',
    intervalOf,
  );
  command.option('--full', 'Copy everything again, also what seems unchanged');
  addFlag(
    command,
    '--overlap <duration>',
    'How far each run reaches back before the last one, because searches show changes late [default: 15m]',
    durationOf,
  );
  addFlag(
    command,
    '--sweep-every <duration>',
    'How often to look for deletions; 0s: in each run [default: 1d]',
    durationOf,
  );
  command.option('--allow-shrinking', 'Let more than half of an index be deleted');
  addFlag(
    command,
    '--rate <n/seconds|off>',
    'Most requests to the remote tenant [default: 90/10]',
    rateOf,
  );
}

/** Rejects flags that contradict one another. */
function refuseConflicts(flags: Flags): void {
  const { status, verify, watch, full, sample } = flags;
  const faults: string[] = [];
  if (status === true && verify === true) faults.push('--status and --verify cannot be combined.');
  if ((status ?? verify) === true && (watch !== undefined || full === true)) {
    faults.push('--watch and --full cannot be combined with --status and --verify.');
  }
  if (sample !== undefined && verify !== true) faults.push('--sample needs --verify.');
  if (faults.length > 0) throw new UsageError(faults);
}

function orderOf(flags: Flags, config: Config, { env }: Context): MirrorOrder {
  const clientId = flags.clientId ?? env['SAIL_CLIENT_ID'] ?? '';
  const clientSecret = flags.clientSecret ?? env['SAIL_CLIENT_SECRET'] ?? '';
  const profilesKey = env['NERM_TOKEN'] ?? '';
  const faults: string[] = [];
  if (clientId === '') faults.push('--client-id is missing, and SAIL_CLIENT_ID is not set.');
  if (clientSecret === '') {
    faults.push('--client-secret is missing, and SAIL_CLIENT_SECRET is not set.');
  }
  if (flags.profilesFrom !== undefined && profilesKey === '') {
    faults.push('--profiles-from needs the key of profile management in NERM_TOKEN.');
  }
  if (faults.length > 0) throw new UsageError(faults);
  const authUsers = flags.authUsers === undefined ? null : authUsersOf(flags.authUsers);
  return {
    config,
    source: flags.from ?? null,
    name: flags.name ?? null,
    ...{ clientId, clientSecret, profilesKey },
    profilesSource: flags.profilesFrom ?? null,
    authUsers,
    full: flags.full === true,
    overlapMs: flags.overlap ?? OVERLAP_MS,
    sweepEveryMs: flags.sweepEvery ?? SWEEP_EVERY_MS,
    allowShrinking: flags.allowShrinking === true,
    rate: flags.rate === undefined ? RATE : flags.rate,
    json: flags.json === true,
  };
}

/** Reads the file of ids. @throws UsageError if there is no such file */
function authUsersOf(value: string): NonNullable<MirrorOrder['authUsers']> {
  if (value === 'all' || value === 'none') return value;
  const text = readNamed(`--auth-users ${value}`, () => readRegularFile(value));
  const ids = text.split(/\r?\n/).map((line) => line.trim());
  return [...new Set(ids.filter((id) => id !== '' && !id.startsWith('#')))];
}

/** What is copied from documentation instead of the base URL. */
const API_PATH = /^\/(?:v\d+|v20\d\d|beta|cc|oauth|search|api)(?:\/|$)/;

function urlOf(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new InvalidArgumentError(`must be a URL (it is ${JSON.stringify(text)}).`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('must be a URL without user, password, query and fragment.');
  }
  if (API_PATH.test(url.pathname)) {
    throw new InvalidArgumentError(`must be the base URL, without a path: ${url.origin}.`);
  }
  if (url.protocol === 'https:' || url.protocol === 'http:') return url;
  throw new InvalidArgumentError(`must begin with https:// (it is ${JSON.stringify(text)}).`);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ...{ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 },
};

function durationOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (UNIT_MS[unit] ?? 0);
  throw new InvalidArgumentError(
    `must be a duration such as 30s, 5m, 2h or 1d (it is ${JSON.stringify(text)}).`,
  );
}

/** Timers hold 24 days; without a pause, runs would follow each other for ever. */
const INTERVAL_MS_MAX = 24 * 86_400_000;

function intervalOf(text: string): number {
  const ms = durationOf(text);
  if (ms > 0 && ms <= INTERVAL_MS_MAX) return ms;
  throw new InvalidArgumentError(`must be from 1s to 24d (it is ${JSON.stringify(text)}).`);
}

function rateOf(text: string): MirrorOrder['rate'] {
  if (text === 'off') return null;
  const [, requests = '0', seconds = '0'] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  if (Number(requests) > 0 && Number(seconds) > 0) {
    return { requests: Number(requests), seconds: Number(seconds) };
  }
  throw new InvalidArgumentError(
    `must be off, or a rate such as 90/10 for 90 requests in 10 s (it is ${JSON.stringify(text)}).`,
  );
}

function sampleOf(text: string): number | 'all' {
  if (text === 'all') return text;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(
    `must be a number of documents, or all (it is ${JSON.stringify(text)}).`,
  );
}
