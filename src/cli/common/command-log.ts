// The log of a command for people: sentences on standard error instead of lines of JSON.
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { makeLog } from '../../telemetry/log.ts';
import { framesOf, type Terminal } from './terminal.ts';

/** A line of the log, as src/telemetry/log.ts writes it. */
interface Entry {
  readonly level: number;
  readonly msg: string;
  readonly err?: { readonly message: string; readonly stack?: string };
  readonly [member: string]: unknown;
}

const ERROR = 50;
const WARNING = 40;
/** Members with the reason of a line. */
const REASONS: readonly string[] = ['error', 'reason', 'detail', 'causes', 'faults'];
/** Members that each line has, or that are printed already. */
const COMMON: readonly string[] = ['level', 'time', 'pid', 'hostname', 'msg', 'err', ...REASONS];

/** Creates the log of a command; by default it has warnings and errors only. */
export function commandLog({ logLevel }: Pick<Config, 'logLevel'>, terminal: Terminal): Logger {
  return makeLog(logLevel === 'info' ? 'warn' : logLevel, {
    write(line) {
      const entry = JSON.parse(line) as Entry;
      terminal.note(sentenceOf(entry));
      // An error is a defect, or damage: only its stack says where.
      if (entry.level < ERROR) return;
      for (const frame of framesOf(entry.err?.stack)) terminal.note(frame);
    },
  });
}

function sentenceOf(entry: Entry): string {
  const { level, msg, err } = entry;
  const kind = level >= ERROR ? 'error' : level >= WARNING ? 'warning' : 'note';
  const texts = [err?.message, ...REASONS.flatMap((name) => entry[name])];
  const reasons = texts.filter((text) => typeof text === 'string');
  const details = Object.entries(entry)
    .filter(([name]) => !COMMON.includes(name))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  // A cause may be the message with more to it.
  const told = reasons.filter(
    (one) => !reasons.some((other) => other !== one && other.includes(one)),
  );
  const text = [...new Set([msg, ...told])].join(': ');
  return `${kind}: ${text}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}
