// suite: slow
// The files of examples/ci: images cannot be built here, but their commands run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { CARDEA } from '../support/program.ts';

const read = (name: string) => readFileSync(`examples/ci/${name}`, 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'cardea-ci-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Starts `cardea` with these arguments on a free port, and returns the line that it prints. */
async function readyLine(args: readonly string[]): Promise<{ baseUrl: string }> {
  const line = commandLine([...args, '--port', '0', '--identities', '0'], {
    env: { TMPDIR: directory, CARDEA_RATE_LIMIT: 'off' },
  });
  const [text] = await line.shows(/^\{.*\}$/m);
  line.interrupt();
  assert.equal(await line.ended, 0, line.err());
  return JSON.parse(text) as { baseUrl: string };
}

test('the command of the image serves a tenant', async () => {
  const [, command = ''] = /^CMD (.*)$/m.exec(read('Dockerfile')) ?? [];
  const { baseUrl } = await readyLine(JSON.parse(command) as string[]);
  assert.equal(baseUrl, 'http://localhost:8080');
});

test('the command of the Compose file serves a tenant at the name of its service', async () => {
  const { services } = parse(read('compose.yaml')) as {
    services: { tenant: { command: [string] } };
  };
  const [, args = ''] = /cardea\.js (.*) > \/shared/.exec(services.tenant.command[0]) ?? [];
  const { baseUrl } = await readyLine(args.split(' '));
  assert.equal(baseUrl, 'http://tenant:8080');
});

test('the workflow starts a tenant, exports its variables and stops it', async () => {
  const bin = join(directory, 'bin');
  const temporary = join(directory, 'tmp');
  for (const folder of [bin, temporary]) mkdirSync(folder);
  const npx = `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${CARDEA}" "$@"\n`;
  writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 });
  const variables = join(directory, 'variables');
  const { jobs } = parse(read('workflow.yaml')) as {
    jobs: { test: { steps: { name?: string; run?: string }[] } };
  };
  const run = async (name: string) => {
    const script = jobs.test.steps.find((step) => step.name === name)?.run ?? '';
    // As the runner does: nothing reads the output of a background process.
    await promisify(execFile)('bash', ['-e', '-c', `{ ${script}\n} 2> errors`], {
      cwd: directory,
      env: {
        ...process.env,
        PATH: `${bin}:${process.env['PATH']}`,
        TMPDIR: temporary,
        GITHUB_ENV: variables,
      },
    });
  };
  await run('start a tenant');
  const names = readFileSync(variables, 'utf8').matchAll(/^(\w+)=.+$/gm);
  assert.deepEqual(
    [...names].map(([, name]) => name),
    ['SAIL_BASE_URL', 'SAIL_CLIENT_ID', 'SAIL_CLIENT_SECRET'],
  );
  const [, url = ''] = /^SAIL_BASE_URL=(.*)$/m.exec(readFileSync(variables, 'utf8')) ?? [];
  assert.equal((await fetch(`${url}/ready`)).status, 200);
  await run('stop the tenant');
  await eventually(() => assert.deepEqual(readdirSync(temporary), []));
});
