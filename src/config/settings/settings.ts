// The table of settings: environment variable, flag, default, description and parser of each. It is
// the only source for --help, docs/configuration.md and config.ts.
import { ACCESS } from './access.ts';
import { INTERFACES } from './interfaces.ts';
import { LISTENING } from './listening.ts';
import { OBSERVATION } from './observation.ts';
import { QUERY_LIMITS } from './query-limits.ts';
import { REPORTS } from './reports.ts';
import { REQUESTS } from './requests.ts';
import { SEARCH } from './search.ts';
import type { Setting, ValuesOf } from './setting.ts';
import { STORE } from './store.ts';
import { TESTS } from './tests.ts';

/** All settings, in the order of help texts. */
export const SETTINGS = {
  ...LISTENING,
  ...STORE,
  ...SEARCH,
  ...ACCESS,
  ...REQUESTS,
  ...OBSERVATION,
  ...REPORTS,
  ...INTERFACES,
  ...QUERY_LIMITS,
  ...TESTS,
} satisfies Readonly<Record<string, Setting>>;

export type SettingKey = keyof typeof SETTINGS;
/** The parsed values of the settings; null: not set. */
export type Values = ValuesOf<typeof SETTINGS>;
