// The side bar of the guide: which page of the documentation is where, in the order of next and previous.
// Invariant: every page that is packed has one row (test/docs/guide.test.ts).

/** A page of the guide. */
export interface PageRow {
  /** Last part of its address: `search` for `/docs/guide/search`. */
  readonly name: string;
  /** Its name in the side bar. */
  readonly title: string;
  /** The Markdown that it is built from, in the folder of the project. */
  readonly file: string;
}

export interface PageGroup {
  readonly title: string;
  readonly pages: readonly PageRow[];
}

/** Pages whose Markdown is beside README.md. */
const BESIDE_README: Readonly<Record<string, string>> = {
  changelog: 'CHANGELOG.md',
  security: 'SECURITY.md',
};

/** The side bar, by task. */
export const PAGE_GROUPS: readonly PageGroup[] = [
  group('Start', {
    install: 'Install',
    'command-line': 'Command line',
    console: 'The console',
    glossary: 'Glossary',
  }),
  group('Search and report', {
    search: 'The query language',
    requests: 'Filters, sorting, pages',
    fields: 'Fields',
    aggregations: 'Aggregations',
    rows: 'Rows and CSV',
    reports: 'Saved searches, reports',
    explain: 'Explain',
    'role-paths': 'Through which role',
  }),
  group('Access', {
    'who-may-do-what': 'Who may do what',
    'api-clients': 'API clients',
    views: 'Views',
    assistants: 'Assistants',
  }),
  group('Profiles', { profiles: 'Profile management' }),
  group('Data', {
    spreadsheets: 'Import a spreadsheet',
    export: 'Export and anonymise',
    mirroring: 'Mirror a tenant',
  }),
  group('Test', {
    testing: 'Test an integration',
    programs: 'Programs',
    differences: 'Differences',
  }),
  group('Run', {
    run: 'Run a server',
    sizing: 'Sizing',
    cluster: 'Several nodes',
    observe: 'Observe',
    backup: 'Back up and repair',
    upgrade: 'Upgrade',
    reliability: 'Reliability',
    security: 'Security',
  }),
  group('Reference', {
    api: 'The API',
    errors: 'Errors',
    limits: 'Limits',
    configuration: 'Settings',
    changelog: 'Changelog',
  }),
];

/** @param titles by name, in their order */
function group(title: string, titles: Readonly<Record<string, string>>): PageGroup {
  return {
    title,
    pages: Object.entries(titles).map(([name, pageTitle]) => ({
      ...{ name, title: pageTitle, file: BESIDE_README[name] ?? `docs/${name}.md` },
    })),
  };
}
