// Writes docs/configuration.md from the table in src/config/settings/settings.ts. A test compares the two.
//   node dist/scripts/generate-configuration-doc.js
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Setting } from '../src/config/settings/setting.ts';
import { SETTINGS } from '../src/config/settings/settings.ts';

const OPENING = `# Configuration

<!-- Written by scripts/generate-configuration-doc.ts from src/config/settings/settings.ts: change it there. -->

Everything works with nothing set. A setting is an environment variable or a flag of the command; the flag wins, and an
empty variable counts as not set. Faulty settings stop the start with exit code 2 and are listed all at once; so is a
variable that begins with \`CARDEA_\` and is not in this table. \`cardea COMMAND --help\` shows the flags a command takes.

| Variable | Flag | Default | Meaning |
|---|---|---|---|
`;

const CLOSING = `
With \`auto\`, the rate limit and secrets in the query depend on [who can reach the server](run.md#who-can-reach-the-server).

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

\`issuer\` is compared with the claim \`iss\`, \`audience\` (one text or several) with \`aud\`. \`tenants\` is required: the tenants
for which the issuer may issue tokens. \`claims\` maps our names of claims to those of the issuer, where they differ: \`tenant\`
(\`tenant_id\`), \`identity\` (\`identity_id\`), \`userName\` (\`user_name\`), \`scope\` and \`authorities\`.

A user with an auth user here has the levels stored here. Other users have the levels that \`levels\` maps the values of the claim
\`authorities\` to; without \`levels\` they have none. A token is accepted until its \`exp\`, and for at most \`maxTokenAgeSeconds\` after
its \`iat\` (60 to 2,592,000; 43,200 by default). A token without \`iat\` is refused.

A token must name its user in the claim \`identity\`, by at most 256 characters without control characters; any other is
refused. If the issuer also issues tokens to API clients, which have no such claim and need no levels, set \`"clients": true\`.
Then every user needs that claim: a token of a user who lacks it would have the rights of a client, which may search all
documents if its scopes allow it. A claim that is empty or not a text is refused in any case.

Addresses that are not public are refused unless \`CARDEA_ALLOW_PRIVATE_URLS\` is \`on\`: those of loopback and private networks,
and of all other special-purpose blocks of IANA, such as documentation, benchmarks, NAT64, 6to4 and Teredo.

With \`CARDEA_CONSOLE_OPENID_ISSUER\`, one of these issuers also signs users in to the console:
[console.md](console.md#signing-in-with-an-openid-provider).
`;

function row({ env, flag, value, byDefault, otherwise, sentence }: Setting): string {
  const defaultText = byDefault === null ? (otherwise ?? 'not set') : `\`${byDefault}\``;
  return `| \`${env}\` | \`--${flag} <${value.replaceAll('|', '\\|')}>\` | ${defaultText} | ${sentence} |`;
}

/** The text of the page. */
export function configurationDoc(): string {
  return `${OPENING}${Object.values(SETTINGS).map(row).join('\n')}\n${CLOSING}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync('docs/configuration.md', configurationDoc());
}
