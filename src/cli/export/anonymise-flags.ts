// The flags of an anonymised export: its key, the shift of dates, and the fields that stay.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { secretFileFault } from '../../config/exposure.ts';
import { fileFault } from '../../config/file-fault.ts';
import type { Anonymiser } from '../../export/anonymise/anonymiser.ts';
import { INDEX_NAMES, staticMapping } from '../../query/mapping/document-types.ts';
import { addFlag, integer } from '../common/command-line.ts';
import { UsageError } from '../common/context.ts';
import { readNamed, readWhole } from '../common/whole-file.ts';

export interface AnonymiseFlags {
  readonly anonymise?: boolean;
  readonly keyFile?: string;
  readonly shiftDates?: number;
  readonly keep?: readonly string[];
}

const KEY_BYTES = 32;
/** A hundred years. */
const SHIFT_MAX = 36_525;

export function addAnonymiseFlags(command: Command): void {
  command
    .option(
      '--anonymise',
      'Replace names, addresses, numbers, ids and texts by invented ones; see docs/export.md for what stays',
    )
    .option(
      '--key-file <file>',
      'Key of the replacements, created if it is missing: the same key replaces the same values alike [default: a random key that is not kept]',
    );
  addFlag(
    command,
    '--shift-dates <days>',
    'Days added to every date; 0 leaves dates as they are [default: 4 to 52 weeks back, by the key]',
    integer(-SHIFT_MAX, SHIFT_MAX),
  );
  const kept: string[] = [];
  addFlag(
    command,
    '--keep <field>',
    'Field that stays, such as attributes.department; repeatable',
    (text) => {
      kept.push(...text.split(',').map((name) => keptField(name.trim())));
      return kept;
    },
  );
}

/** @throws UsageError for flags that need another one */
export function checkAnonymiseFlags(flags: AnonymiseFlags): void {
  if (flags.anonymise === true) return;
  const others = [
    ...(flags.keyFile === undefined ? [] : ['--key-file']),
    ...(flags.shiftDates === undefined ? [] : ['--shift-dates']),
    ...(flags.keep === undefined ? [] : ['--keep']),
  ];
  if (others.length > 0) throw new UsageError([`${others.join(', ')} needs --anonymise.`]);
}

/** The anonymiser that the flags describe; null without `--anonymise`. */
export async function anonymiserOf(flags: AnonymiseFlags): Promise<Anonymiser | null> {
  if (flags.anonymise !== true) return null;
  const { Anonymiser: Class } = await import('../../export/anonymise/anonymiser.ts');
  const key = flags.keyFile === undefined ? randomBytes(KEY_BYTES) : keyIn(flags.keyFile);
  return new Class({ key, shiftDays: flags.shiftDates ?? null, keep: flags.keep ?? [] });
}

/** Reads the key of a file, and creates a missing one. */
function keyIn(path: string): Buffer {
  const text = readNamed(`The key file ${path}`, () => readWhole(path)) ?? newKey(path);
  const fault = secretFileFault(path);
  if (fault !== null) throw new UsageError([`The key file ${fault}.`]);
  if (/^[0-9a-f]{64}$/.test(text.trim())) return Buffer.from(text.trim(), 'hex');
  throw new UsageError([
    `${path} is no key: it must hold 64 hexadecimal digits, as the file that --key-file creates.`,
  ]);
}

function newKey(path: string): string {
  const text = `${randomBytes(KEY_BYTES).toString('hex')}\n`;
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    throw new UsageError([`The key file ${path} cannot be created: ${fileFault(error)}.`]);
  }
  return text;
}

/**
 * Checks a name of `--keep`. Attributes are not in the mapping: a wrong name of one is noticed at the
 * end, when no record had it.
 */
function keptField(name: string): string {
  if (/^(?:profiles\.attributes|authUsers)\.[^.]/.test(name)) return name;
  const [first = '', ...rest] = name.split('.');
  const index = INDEX_NAMES.find((candidate) => candidate === first);
  const path = index === undefined ? name : rest.join('.');
  const exists = (index === undefined ? INDEX_NAMES : [index]).some((candidate) => {
    const { fields, dynamicRoots } = staticMapping(candidate, { name: '', pod: '' });
    return fields.has(path) || dynamicRoots.some((root) => path.startsWith(`${root}.`));
  });
  if (exists) return name;
  throw new InvalidArgumentError(
    `must be a field, such as attributes.department, identities.phone, profiles.attributes.city or authUsers.email (it is ${JSON.stringify(name)}).`,
  );
}
