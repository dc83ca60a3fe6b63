// One setting: environment variable, flag, default, description and parser. The tables beside this
// file hold all settings by subject; src/config/settings/settings.ts joins them.
import type { Parser } from './config-values.ts';

/** The commands that have a setting: all, or only those that serve HTTP. */
export type SettingScope = 'every command' | 'server';

/** One setting. */
export interface Setting<T = unknown> {
  readonly env: string;
  /** Without the dashes. */
  readonly flag: string;
  /** Name of the value in help texts. */
  readonly value: string;
  /** As text, parsed like any other value; null: not set. */
  readonly byDefault: string | null;
  /** Description of a default that is not fixed. */
  readonly otherwise?: string;
  readonly sentence: string;
  readonly scope: SettingScope;
  readonly parse: Parser<T>;
}

type Rest = Omit<Setting, 'env' | 'flag' | 'sentence' | 'parse' | 'byDefault'>;

/**
 * A setting, whose variable and flag follow from its name.
 * @param name with dashes
 * @param byDefault null: the value is null unless it is set
 */
export function setting<T, Default extends string | number | null>(
  name: string,
  byDefault: Default,
  sentence: string,
  parse: Parser<T>,
  rest: Partial<Rest> = {},
): Setting<Default extends null ? T | null : T> {
  const made: Setting<T> = {
    env: `CARDEA_${name.toUpperCase().replaceAll('-', '_')}`,
    flag: name,
    value: 'text',
    byDefault: byDefault === null ? null : String(byDefault),
    scope: 'server',
    sentence,
    parse,
    ...rest,
  };
  return made as Setting<Default extends null ? T | null : T>;
}

/** The values of a table of settings, by key. */
export type ValuesOf<Table extends Readonly<Record<string, Setting>>> = {
  readonly [K in keyof Table]: ReturnType<Table[K]['parse']>;
};

/** The part of all values that a table of settings declares. */
export function valuesOf<Table extends Readonly<Record<string, Setting>>>(
  table: Table,
  values: ValuesOf<Table>,
): ValuesOf<Table> {
  const own = Object.keys(table).map((key) => [key, values[key]]);
  return Object.fromEntries(own) as ValuesOf<Table>;
}

export const NUMBER = { value: 'number' };
export const MILLISECONDS = { value: 'milliseconds' };
export const SECONDS = { value: 'seconds' };
export const ANY = { scope: 'every command' } as const;
