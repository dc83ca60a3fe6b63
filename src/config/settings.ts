// The table of settings: environment variable, flag, default, description and parser of each. It is
// the only source for --help, docs/configuration.md and config.ts.
import { ACCESS } from './settings/access.ts';
import { INTERFACES } from './settings/interfaces.ts';
import { LISTENING } from './settings/listening.ts';
import { OBSERVATION } from './settings/observation.ts';
import { QUERY_LIMITS } from './settings/query-limits.ts';
import { REPORTS } from './settings/reports.ts';
import { REQUESTS } from './settings/requests.ts';
import { SEARCH } from './settings/search.ts';
import type { Setting } from './settings/setting.ts';
import { STORE } from './settings/store.ts';
import { TESTS } from './settings/tests.ts';

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
export type Values = {
  readonly [K in SettingKey]: ReturnType<(typeof SETTINGS)[K]['parse']> | null;
};
