// One setting: environment variable, flag, default, description and parser. The tables beside this
// file hold all settings by subject; src/config/settings/settings.ts joins them.
import type { Parser } from '../config-values.ts';

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

/** A setting, whose variable and flag follow from its name. @param name with dashes */
export function setting<T>(
  name: string,
  byDefault: string | number | null,
  sentence: string,
  parse: Parser<T>,
  rest: Partial<Rest> = {},
): Setting<T> {
  return {
    env: `CARDEA_${name.toUpperCase().replaceAll('-', '_')}`,
    flag: name,
    value: 'text',
    byDefault: byDefault === null ? null : String(byDefault),
    scope: 'server',
    sentence,
    parse,
    ...rest,
  };
}

export const NUMBER = { value: 'number' };
export const MILLISECONDS = { value: 'milliseconds' };
export const SECONDS = { value: 'seconds' };
export const ANY = { scope: 'every command' } as const;
