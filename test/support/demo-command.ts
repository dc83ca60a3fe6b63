// A demo of a test: its folder, its command, and what a person does with what it prints.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type CommandLine, commandLine } from './command-line.ts';

export const directory = mkdtempSync(join(tmpdir(), 'cardea-demo-'));
after(() => rmSync(directory, { recursive: true, force: true }));
export const dataDir = join(directory, 'data');
export const credentialsFile = join(dataDir, 'credentials.json');
/** Starts the demo as on a terminal. */
export const start = (...more: string[]): CommandLine =>
  commandLine(['demo', '--data-dir', dataDir, '--port', '0', '--log-level', 'error', ...more], {
    isTerminal: true,
  });
/** The credentials of the demo. */
export const read = () => JSON.parse(readFileSync(credentialsFile, 'utf8'));

/** Stands in for curl where it is missing: as much of it as the printed line uses. */
const CURL = `#!${process.execPath}
const [url, headers, data] = [[], {}, []];
const args = process.argv.slice(2);
while (args.length > 0) {
  const arg = args.shift();
  if (arg === '-d') data.push(args.shift());
  else if (arg === '-H') {
    const [name, value] = args.shift().split(/: (.*)/);
    headers[name.toLowerCase()] = value;
  } else if (arg !== '-s') url.push(arg);
}
const form = { 'content-type': 'application/x-www-form-urlencoded' };
fetch(url[0], { method: 'POST', headers: { ...form, ...headers }, body: data.join('&') })
  .then((answer) => answer.text())
  .then((text) => process.stdout.write(text));
`;

/** The environment of a shell that has curl, or a stand-in. */
function withCurl(): NodeJS.ProcessEnv {
  if (hasCurl()) return process.env;
  const bin = join(directory, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'curl'), CURL, { mode: 0o755 });
  return { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
}

/** The ids of the answer to the printed line. */
export async function paste(line: CommandLine): Promise<string[]> {
  const [, curl = ''] = await line.shows(/^ *(curl .*)$/m);
  return inShell(curl);
}

/** The ids that a command of the shell prints. */
export async function inShell(command: string): Promise<string[]> {
  const answer = await new Promise<string>((resolve, reject) => {
    // Not blocking: the service runs in this very process.
    execFile('bash', ['-c', command], { env: withCurl() }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
  return JSON.parse(answer).map(({ id }: { id: string }) => id);
}

/** All profiles of the demo that is served, with everything that is said of them. */
export async function profiles(): Promise<Record<string, unknown>[]> {
  const { baseUrl, apiKey } = read();
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`${baseUrl}/api/profiles?after_id=&limit=500`, { headers });
  return (await answer.json()) as Record<string, unknown>[];
}

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}
