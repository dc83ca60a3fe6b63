// Writes docs/configuration.md from the tables in src/config/settings/. A test compares the two. Plain limits are in
// docs/limits.md alone, with their settings.
//   node dist/scripts/generate-configuration-doc.js
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ACCESS } from '../src/config/settings/access.ts';
import { INTERFACES } from '../src/config/settings/interfaces.ts';
import { LISTENING } from '../src/config/settings/listening.ts';
import { OBSERVATION } from '../src/config/settings/observation.ts';
import { REPORTS } from '../src/config/settings/reports.ts';
import { REQUESTS } from '../src/config/settings/requests.ts';
import { SEARCH } from '../src/config/settings/search.ts';
import type { Setting } from '../src/config/settings/setting.ts';
import { STORE } from '../src/config/settings/store.ts';
import { TESTS } from '../src/config/settings/tests.ts';

/** The tables of settings, in the order of help texts. */
const GROUPS: readonly (readonly [title: string, table: Readonly<Record<string, Setting>>])[] = [
  ['Address and threads', LISTENING],
  ['Store and backups', STORE],
  ['Search backend', SEARCH],
  ['TLS, limits of clients, credentials', ACCESS],
  ['Requests', REQUESTS],
  ['Metrics, retention, audit export', OBSERVATION],
  ['Reports', REPORTS],
  ['Pages and protocols', INTERFACES],
  ['Tests', TESTS],
];

const OPENING = `# Configuration

<!-- Written by scripts/generate-configuration-doc.ts from src/config/settings/: change it there. -->

Everything works with nothing set. A setting is an environment variable or a flag of the command, which wins: that of
\`CARDEA_BASE_URL\` is \`--base-url\`, and so on. An empty variable counts as not set. Faulty settings, and unknown variables
that begin with \`CARDEA_\`, stop the start with exit code 2, all listed at once. \`cardea COMMAND --help\` shows the flags of a
command. Settings of plain limits are in [limits.md](limits.md). Groups:
`;
const HEAD = '| Variable | Default | Meaning |\n|---|---|---|\n';

const CLOSING = `
## Settings that depend

With \`auto\`, the rate limit and secrets in the query depend on [who can reach the server](run.md#who-can-reach-the-server).
\`cardea start\` listens on a free port unless one is set. At \`info\`, only \`serve\` logs \`info\`; other commands log from
\`warn\`, \`start\` from \`error\`.

## External issuers

\`CARDEA_EXTERNAL_ISSUERS\` is a JSON array, or the path of a file that holds one:

\`\`\`json
[
  {
    "issuer": "https://login.example.org",
    "jwksUrl": "https://login.example.org/keys",
    "audience": ["cardea"],
    "tenants": ["demo"],
    "claims": { "tenant": "org", "authorities": "groups" },
    "levels": { "cardea-admins": ["ORG_ADMIN"] },
    "maxTokenAgeSeconds": 3600
  }
]
\`\`\`

| Member | Meaning |
|---|---|
| \`issuer\`, \`audience\` | compared with the claims \`iss\` and \`aud\`; \`audience\` is one text or several |
| \`tenants\` | required: those for which it may issue tokens |
| \`claims\` | the names of its claims for \`tenant\`, \`identity\`, \`userName\`, \`scope\` and \`authorities\`; by default \`tenant_id\`, \`identity_id\`, \`user_name\`, \`scope\`, \`authorities\` |
| \`levels\` | what values of \`authorities\` give people who are no auth users here; without it they have none |
| \`maxTokenAgeSeconds\` | how long after its \`iat\` a token is accepted: 60 to 2,592,000, by default 43,200 |
| \`clients\` | \`true\`: accept tokens without an identity, as API clients have them |

An auth user has the levels stored here. A token without \`iat\` is refused, and so is one whose identity is empty, no text or
longer than 256 characters. With \`clients\` every user needs an identity: a token without one has the rights of a client, which
may search all documents if its scopes allow it. One of these issuers may also
[sign users in to the console](console.md#signing-in-with-an-openid-provider).

\`CARDEA_ALLOW_PRIVATE_URLS\` is about loopback, private networks and all other special-purpose blocks of IANA.
`;

function row({ env, byDefault, otherwise, sentence }: Setting): string {
  const defaultText = byDefault === null ? (otherwise ?? 'not set') : `\`${byDefault}\``;
  return `| \`${env}\` | ${defaultText} | ${sentence} |`;
}

/** A link to each group. */
function contents(): string {
  return GROUPS.map(([title]) => {
    const anchor = title.toLowerCase().replaceAll(',', '').replaceAll(' ', '-');
    return `[${title}](#${anchor})`;
  }).join(' ·\n');
}

/** Values that need no words. */
const PLAIN = new Set(['number', 'bytes', 'milliseconds', 'seconds']);

/** The settings that docs/limits.md has in the third column of its tables. */
export function settingsOfLimits(): ReadonlySet<string> {
  const rows = readFileSync('docs/limits.md', 'utf8').matchAll(
    /^\|[^|]*\|[^|]*\| `(CARDEA_\w+)` \|/gm,
  );
  return new Set([...rows].map(([, env = '']) => env));
}

/** The text of the page. */
export function configurationDoc(): string {
  const limits = settingsOfLimits();
  const tables = GROUPS.map(([title, table]) => {
    const rows = Object.values(table).filter(
      ({ env, value }) => !(limits.has(env) && PLAIN.has(value)),
    );
    return `\n## ${title}\n\n${HEAD}${rows.map(row).join('\n')}\n`;
  });
  return `${OPENING}${contents()}.\n${tables.join('')}${CLOSING}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync('docs/configuration.md', configurationDoc());
}
