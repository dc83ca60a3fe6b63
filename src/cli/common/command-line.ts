// Commands and their flags. Each setting is a flag, defined in the table of settings. Commander
// parses the arguments; faults that it would report one by one are collected here and reported
// together.
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Config, ConfigError, parseConfig } from '../../config/config.ts';
import type { Setting } from '../../config/settings/setting.ts';
import { SETTINGS, type SettingKey } from '../../config/settings/settings.ts';
import { nearestName } from '../../query/mapping/nearest-name.ts';
import { type Context, UsageError } from './context.ts';

/**
 * The settings that a command has as flags: all, those of commands without a server, or the listed
 * ones.
 */
export type SettingChoice = 'all' | 'offline' | readonly SettingKey[];

/** Creates a command that leaves all checks to `readSettings`. */
export function newCommand(name: string, summary: string): Command {
  return new Command(name)
    .summary(summary)
    .description(summary)
    .allowUnknownOption()
    .allowExcessArguments();
}

/** Adds settings as flags; call it last, so that help shows the command's own flags first. */
export function addSettings(command: Command, choice: SettingChoice): Command {
  for (const [key, setting] of Object.entries<Setting>(SETTINGS)) {
    if (choice === 'offline' && setting.scope === 'server') continue;
    if (typeof choice !== 'string' && !choice.includes(key as SettingKey)) continue;
    const { flag, value, sentence } = setting;
    const option = new Option(`--${flag} <${value}>`, `${sentence} [${defaultOf(setting)}]`);
    command.addOption(option.helpGroup('Settings:'));
  }
  return command;
}

function defaultOf({ env, byDefault, otherwise }: Setting): string {
  return `${env}, default: ${byDefault ?? otherwise ?? 'not set'}`;
}

/**
 * Reads the settings of a parsed command.
 * @throws UsageError with all faults of its flags, arguments and settings
 */
export function readSettings(command: Command, context: Context): Config {
  const badValues = Object.values(command.opts()).filter((value) => value instanceof BadValue);
  const faults = [...unknownFlags(command), ...badValues.map(({ fault }) => fault)];
  if (faults.length === 0) faults.push(...excessArguments(command));
  const keys = Object.keys(SETTINGS) as SettingKey[];
  const options = command.opts<Partial<Record<SettingKey, string>>>();
  const flags = Object.fromEntries(
    keys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  );
  let config: Config | null = null;
  try {
    config = parseConfig(context.env, flags);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
  if (faults.length > 0 || config === null) throw new UsageError(faults);
  return config;
}

/**
 * Adds the flag `--tenant`, whose value `chooseTenant` reads.
 * @param owned what belongs to the tenant, such as `client`
 */
export function addTenantFlag(command: Command, owned: string): Command {
  return command.option('--tenant <name>', `Tenant of the ${owned} [default: the only one]`);
}

/** Stands for the value of a flag that could not be parsed, until `readSettings` reports it. */
class BadValue {
  readonly fault: string;

  constructor(fault: string) {
    this.fault = fault;
  }
}

/**
 * Adds a flag whose value `parse` reads; a bad value is reported together with all other faults.
 */
export function addFlag<T>(
  command: Command,
  flags: string,
  sentence: string,
  parse: (text: string) => T,
): Command {
  const option = new Option(flags, sentence);
  return command.addOption(
    option.argParser((text: string, previous?: unknown): T | BadValue => {
      if (previous instanceof BadValue) return previous;
      try {
        return parse(text);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        return new BadValue(`${option.long} ${error.message}`);
      }
    }),
  );
}

/** Parses an integer in a range, for `addFlag`. */
export function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      `must be a whole number from ${least} to ${most} (it is ${JSON.stringify(text)}).`,
    );
  };
}

function unknownFlags(command: Command): string[] {
  return command.args
    .filter((argument) => argument.startsWith('-') && argument !== '-')
    .map((argument) => {
      const name = argument.split('=')[0] ?? argument;
      const flags = command.options.flatMap(({ long }) => long ?? []);
      const near = nearestName(name, flags);
      const hint =
        near === null ? `see cardea ${pathOf(command)} --help.` : `did you mean ${near}?`;
      return `${name} is not a flag of ${command.name()}; ${hint}`;
    });
}

function excessArguments(command: Command): string[] {
  const declared = command.registeredArguments;
  if (declared.at(-1)?.variadic === true) return [];
  return command.args
    .slice(declared.length)
    .map((argument) => `${JSON.stringify(argument)} is one argument too many.`);
}

/** The name of a command with those of the commands above it, without `cardea`. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}
