// The credentials of the demo tenant in DATA_DIR/credentials.json, and shell lines that use them.
// Invariant: the file is never readable by others, and never partly written.
import { join } from 'node:path';
import { parseJson } from '../../json/json-syntax.ts';
import { UsageError } from '../common/context.ts';
import { readNamed, readWhole, writeWhole } from '../common/whole-file.ts';

/** The exact members of the file. */
export interface Credentials {
  readonly baseUrl: string;
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Key of the profile API. */
  readonly apiKey: string;
}

const MEMBERS = ['baseUrl', 'tenant', 'clientId', 'clientSecret', 'apiKey'] as const;

export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json');
}

/** The file with the parameters of the company that `cardea demo` has created. */
export function recipePath(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

/**
 * Reads the credentials of a data directory; null if there are none.
 * @throws UsageError if the file is invalid
 */
export function readCredentials(dataDir: string): Credentials | null {
  const path = credentialsPath(dataDir);
  const value = readJson(path);
  if (value === null) return null;
  const members = new Map<string, unknown>(typeof value === 'object' ? Object.entries(value) : []);
  for (const name of MEMBERS) {
    if (typeof members.get(name) !== 'string') {
      throw new UsageError([`${path} lacks ${name}: delete the file to have it created again.`]);
    }
  }
  return value as Credentials;
}

export function writeCredentials(dataDir: string, credentials: Credentials): void {
  writeJson(credentialsPath(dataDir), credentials);
}

/** Reads a JSON file; null if it is missing. @throws UsageError if it is not JSON, or cannot be read */
export function readJson(path: string): object | null {
  const text = readNamed(path, () => readWhole(path));
  if (text === null) return null;
  const value = parseJson(text, (clause) => {
    const mend = 'delete the file to have it created again';
    return new UsageError([`${path} is not valid JSON ${clause}; ${mend}.`]);
  });
  return Object(value);
}

/** Writes a JSON file that only its owner can read, atomically. */
export function writeJson(path: string, value: object): void {
  writeWhole(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** The environment variables of the official SDKs and their command line. */
export function sdkVariables({
  baseUrl,
  clientId,
  clientSecret,
}: Pick<Credentials, 'baseUrl' | 'clientId' | 'clientSecret'>): Record<string, string> {
  return {
    SAIL_BASE_URL: baseUrl,
    SAIL_CLIENT_ID: clientId,
    SAIL_CLIENT_SECRET: clientSecret,
  };
}

/** The same and the key of profile management, as `cardea mirror` reads it, as lines of a shell. */
export function exportLines(credentials: Credentials): string[] {
  const variables = { ...sdkVariables(credentials), NERM_TOKEN: credentials.apiKey };
  return Object.entries(variables).map(([name, value]) => `export ${name}=${value}`);
}

/** The file next to the credentials with the lines below, for output that is not a terminal. */
export function firstStepsPath(dataDir: string): string {
  return join(dataDir, 'first-steps.sh');
}

/**
 * Writes a shell script that only its owner can read. It sets the variables above and TOKEN, an access token, for the
 * shell that sources it, and does a first search.
 */
export function writeFirstSteps(dataDir: string, credentials: Credentials): void {
  const lines = [
    '# The variables of the SDKs, an access token, and a first search: managers with an open account in Active Directory.',
    ...exportLines(credentials),
    `export TOKEN=$(${tokenLine(credentials)})`,
    searchLine(credentials, '$TOKEN'),
  ];
  writeWhole(firstStepsPath(dataDir), `${lines.join('\n')}\n`);
}

/**
 * One line that gets a token, searches and prints documents; it needs a POSIX shell, curl and sed.
 */
export function curlLine(credentials: Credentials): string {
  return searchLine(credentials, `$(${tokenLine(credentials)})`);
}

function tokenLine(credentials: Credentials): string {
  const { baseUrl, clientId, clientSecret } = credentials;
  return `${curl(credentials)} ${baseUrl}/oauth/token -d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'`;
}

/** @param token as a word of the shell */
function searchLine(credentials: Credentials, token: string): string {
  const body = {
    indices: ['identities'],
    query: {
      query: 'isManager:true AND @accounts(source.name:"Active Directory" AND disabled:false)',
    },
    queryResultFilter: { includes: ['id', 'name', 'displayName', 'attributes.jobTitle'] },
    sort: ['name'],
  };
  return `${curl(credentials)} "${credentials.baseUrl}/v2024/search?limit=3" -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

/** The certificate of a demo is most likely self-signed. */
function curl({ baseUrl }: Credentials): string {
  return baseUrl.startsWith('https:') ? 'curl -sk' : 'curl -s';
}
