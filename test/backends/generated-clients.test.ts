// Clients that two generators make of the OpenAPI document of a running server: they are type-checked with a program that
// calls the server, and the program runs. test/support/installed-packages.ts says what this needs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startTenant, type TestTenant } from '../../src/testing/index.ts';
import { installedNode, installedPython } from '../support/installed-packages.ts';

const EXAMPLES = join('examples', 'generated-clients');
/** Requires also PyYAML, a reader of YAML 1.1. */
const PYTHON_TOOLS = [
  'openapi-python-client==0.29.1',
  ...['openapi-spec-validator==0.9.0', 'mypy==2.4.1'],
] as const;
const NODE_TOOLS = [
  'openapi-typescript@7.13.0',
  ...['openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@20.19.43'],
] as const;

/** A member with a default may be left out of a request. */
const REQUESTS = ['--default-non-nullable', 'false'] as const;

let tenant: TestTenant;
const folders: string[] = [];
before(async () => {
  tenant = await startTenant({ identities: 20, profiles: 10, seed: 4 });
});
after(async () => {
  await tenant?.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Runs a program in a folder. Not blocking, so that a failure of the server would be seen. */
async function run(cwd: string, command: string, args: readonly string[]): Promise<string> {
  const { clientId, clientSecret } = tenant.credentials;
  const { stdout, stderr } = await promisify(execFile)(command, args, {
    ...{ cwd, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 },
    env: {
      ...process.env,
      CARDEA_URL: tenant.baseUrl,
      CARDEA_CLIENT_ID: clientId,
      CARDEA_CLIENT_SECRET: clientSecret,
    },
  });
  return stdout + stderr;
}

/** A folder with the document as it is served. */
async function folderWithDocument(parent: string): Promise<string> {
  const folder = mkdtempSync(join(parent, 'cardea-generated-'));
  folders.push(folder);
  for (const name of ['openapi.yaml', 'openapi.json']) {
    const answer = await fetch(`${tenant.baseUrl}/${name}`);
    writeFileSync(join(folder, name), await answer.text());
  }
  return folder;
}

function assertAnswers(printed: string): void {
  const { people, total, cause, profileTypes } = JSON.parse(printed);
  assert.equal(people.length, 2);
  assert.deepEqual(people, people.toSorted());
  assert.equal(total, '20');
  assert.match(cause, /this quote is not closed/);
  assert.equal(profileTypes.length, 2);
}

test('openapi-spec-validator accepts the document, and PyYAML reads what readers of JSON read', async () => {
  const python = installedPython(PYTHON_TOOLS);
  const folder = await folderWithDocument(tmpdir());
  const program = [
    'import json, sys, yaml',
    'from openapi_spec_validator import validate',
    'read = yaml.safe_load(open(sys.argv[1] + "/openapi.yaml"))',
    'assert read == json.load(open(sys.argv[1] + "/openapi.json"))',
    'validate(read)',
    'assert read == yaml.safe_load(open("docs/openapi.yaml"))',
  ].join('\n');
  assert.equal(await run('.', python, ['-c', program, folder]), '');
});

test('a TypeScript client is generated, type-checked and calls the server', async () => {
  const tools = installedNode(NODE_TOOLS);
  const folder = await folderWithDocument(tools);
  copyFileSync(join(EXAMPLES, 'calls.ts'), join(folder, 'calls.ts'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const tool = (name: string, ...args: readonly string[]) =>
    run(folder, join(tools, 'node_modules', '.bin', name), args);
  await tool('openapi-typescript', 'openapi.yaml', '--output', 'cardea.d.ts', ...REQUESTS);
  const strictly = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
  await tool('tsc', ...strictly, '--module', 'nodenext', '--target', 'es2022', 'calls.ts');
  assertAnswers(await run(folder, process.execPath, ['calls.js']));
});

test('a Python client is generated, type-checked and calls the server', async () => {
  const python = installedPython(PYTHON_TOOLS);
  const folder = await folderWithDocument(tmpdir());
  copyFileSync(join(EXAMPLES, 'calls.py'), join(folder, 'calls.py'));
  writeFileSync(join(folder, 'settings.yaml'), 'post_hooks: []\n');
  const module = (name: string, ...args: readonly string[]) =>
    run(folder, python, ['-m', name, ...args]);
  const report = await module(
    'openapi_python_client',
    ...['generate', '--path', 'openapi.yaml', '--meta', 'none'],
    ...['--config', 'settings.yaml', '--output-path', 'cardea_client'],
  );
  // The generator takes the third content type of the imports and their previews instead.
  const warnings = report.match(/^(?:WARNING|Unable|Unsupported|Cannot).*$/gm) ?? [];
  const imports = [
    ...[['auth-users', 'auth_users'] as const, ['auth-users/preview', 'auth_users'] as const],
    ...[['documents', 'administration'] as const, ['documents/preview', 'administration'] as const],
  ];
  const expected = imports.flatMap(([name, tag]) =>
    ['application/x-ndjson', 'text/csv'].flatMap((type) => [
      `WARNING parsing POST /admin/v1/${name} within ${tag}.`,
      `Unsupported content type ${type}`,
    ]),
  );
  assert.deepEqual(warnings, expected);
  await module('compileall', '-q', 'cardea_client');
  await module('mypy', '--strict', '--follow-imports=silent', 'calls.py');
  assertAnswers(await run(folder, python, ['calls.py']));
});
