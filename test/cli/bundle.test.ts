// suite: slow
// The bundle as the npm package ships it: its programs and threads load, it serves and searches,
// stack traces name the sources, and its licences are complete.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { licencesText, packageFolders } from '../../scripts/licences.ts';
import { NodeProcess, runCardea } from '../support/node-process.ts';
import { CARDEA } from '../support/program.ts';

const BUNDLE = fileURLToPath(new URL('../../bundle/', import.meta.url));
const DOCUMENTS = 500;

const directory = mkdtempSync(join(tmpdir(), 'cardea-bundle-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const settings = { CARDEA_DATA_DIR: join(directory, 'data') };

function cardea(...args: readonly string[]): string {
  return runCardea(args, settings);
}

function bundledFiles(suffix: string): string[] {
  return readdirSync(BUNDLE).filter((file) => file.endsWith(suffix));
}

test('prints the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.equal(cardea('--version').trim(), version);
});

test('serves, searches, reads profiles in a thread and backs up in a process', async () => {
  const admin = JSON.parse(cardea('tenant', 'create', 'acme', '--json'));
  const file = join(directory, 'roles.ndjson');
  const roles = Array.from({ length: DOCUMENTS }, (_, n) => ({
    ...{ _type: 'role', id: `r${n}`, name: `Role ${n}` },
  }));
  writeFileSync(file, roles.map((role) => JSON.stringify(role)).join('\n'));
  assert.equal(JSON.parse(cardea('import', file, '--json')).created, DOCUMENTS);
  const { apiKey } = JSON.parse(cardea('api-key', 'create', '--name', 'test', '--json'));
  const node = new NodeProcess(settings);
  await node.start();
  try {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: admin.clientId,
      client_secret: admin.clientSecret,
    });
    const token = await fetch(`${node.url}/oauth/token`, { method: 'POST', body });
    const { access_token } = (await token.json()) as { access_token: string };
    const answer = await fetch(`${node.url}/v2024/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ indices: ['roles'], query: { query: 'name:"Role 7"' } }),
    });
    assert.deepEqual(
      ((await answer.json()) as { id: string }[]).map(({ id }) => id),
      ['r7'],
    );
    const profiles = await fetch(`${node.url}/api/profiles`, {
      headers: { authorization: `Token token=${apiKey}` },
    });
    assert.equal(profiles.status, 200, await profiles.text());
    for (const path of [
      '/console/',
      '/docs/',
      '/docs/guide/',
      '/docs/guide/search.md',
      '/openapi.yaml',
    ]) {
      const page = await fetch(node.url + path);
      await page.arrayBuffer();
      assert.equal(page.status, 200, path);
    }
    cardea('backup', join(directory, 'backup'));
    // The flags that it sets have other names in other versions of V8.
    assert.doesNotMatch(node.output, /unrecognized flag/);
  } finally {
    await node.stop();
  }
});

test('has a file for every thread and process that it starts, and each of them loads', () => {
  const sources = fileURLToPath(new URL('../../../src/', import.meta.url));
  const started = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [
      ...readFileSync(join(sources, file), 'utf8').matchAll(
        /programBeside\(import\.meta\.url, '([\w-]+)'\)/g,
      ),
    ])
    .map(([, name]) => `${name}.js`);
  assert.ok(started.length > 0, 'no program is started by programBeside');
  const files = new Set(bundledFiles('.js'));
  for (const file of started) {
    assert.ok(files.has(file), `${file} is missing in the bundle`);
    // On the main thread it loads its modules and does nothing.
    const { status, stderr } = spawnSync(process.execPath, [join(BUNDLE, file)]);
    assert.equal(status, 0, `${file}: ${stderr}`);
  }
});

test('what a part imports when it needs it is exported there', async () => {
  const named = /\{([\w$:, ]+)\}=await import\("\.\/([\w-]+\.js)"\)/g;
  let checked = 0;
  for (const file of bundledFiles('.js')) {
    for (const [, names = '', part = ''] of readFileSync(join(BUNDLE, file), 'utf8').matchAll(
      named,
    )) {
      const exported = new Set(Object.keys(await import(join(BUNDLE, part))));
      for (const name of names.split(',')) {
        const [one = ''] = name.trim().split(':');
        assert.ok(exported.has(one), `${file} imports ${one} from ${part}`);
        checked += 1;
      }
    }
  }
  assert.ok(checked > 50, String(checked));
});

test('names sources in stack traces', () => {
  const broken = 'data:text/javascript,process.stdout.write = () => { throw new Error("broken") }';
  const flags = ['--enable-source-maps', '--import', broken];
  const { stderr } = spawnSync(process.execPath, [...flags, CARDEA, '--version']);
  assert.match(
    String(stderr),
    /Error: broken\n(.*\n)*.* \(\S*\/src\/cli\/common\/terminal\.ts:\d+:\d+\)/,
  );
});

test('contains the licence of every package in it', () => {
  const maps = bundledFiles('.map').flatMap((file) => {
    const { sources } = JSON.parse(readFileSync(join(BUNDLE, file), 'utf8')) as {
      sources: readonly string[];
    };
    return sources.map((source) => join(BUNDLE, source));
  });
  const folders = packageFolders(maps);
  assert.ok(folders.some((folder) => folder.endsWith('/fastify')));
  const licences = readFileSync(join(BUNDLE, 'LICENCES.txt'), 'utf8');
  for (const folder of folders) assert.ok(licences.includes(sectionOf(folder)), folder);
  assert.ok(licences.includes('\npreact@'), 'the console is built from it');
});

test('refuses a package without a licence', () => {
  const folder = join(directory, 'node_modules', 'unlicensed');
  writeJson(join(folder, 'package.json'), { name: 'unlicensed', version: '1.0.0' });
  assert.throws(() => licencesText([folder]), /unlicensed@1\.0\.0 has no licence text/);
});

/** The text about one package, without the introduction. */
function sectionOf(folder: string): string {
  const text = licencesText([folder]);
  return text.slice(text.indexOf('\n\n') + 2);
}

function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}
