// A process of `cardea demo`: a company that the first start creates in its data directory.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The credentials of an administrator, and the address of the service. */
export interface DemoCredentials {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
}

export interface DemoProcess {
  readonly credentials: DemoCredentials;
  /** True if this start created the company. */
  readonly isNew: boolean;
  /** Requests an access token of the administrator. */
  token(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the demo on a free port, and waits until it listens.
 * @param program the file of the command line
 * @param args further arguments, such as the number of identities
 * @throws Error if the process ends before it listens
 */
export async function startDemo(
  program: string,
  dataDir: string,
  args: readonly string[],
): Promise<DemoProcess> {
  const demo = spawn(
    process.execPath,
    [program, 'demo', '--data-dir', dataDir, '--port', '0', ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const stop = async () => {
    if (demo.exitCode !== null) return;
    const ended = once(demo, 'exit');
    demo.kill('SIGTERM');
    await ended;
  };
  const isNew = await untilListening(demo);
  const file = readFileSync(join(dataDir, 'credentials.json'), 'utf8');
  const credentials = JSON.parse(file) as DemoCredentials;
  return { credentials, isNew, token: () => requestToken(credentials), stop };
}

/** Reads the output until the demo listens. @returns whether the company is new */
export async function untilListening({ stdout }: ChildProcess): Promise<boolean> {
  if (stdout === null) throw new Error('The output of the demo is not captured');
  const lines = createInterface(stdout);
  let isNew = false;
  for await (const line of lines) {
    if (line.startsWith('Cardea serves ')) isNew = line.includes('just created');
    // A closed reader pauses the output, so the demo writes its last lines before.
    if (line.startsWith('Ctrl-C')) return isNew;
  }
  throw new Error('The demo ended before it listened');
}

async function requestToken({ baseUrl, clientId, clientSecret }: DemoCredentials) {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  if (!response.ok) throw new Error(`No token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
