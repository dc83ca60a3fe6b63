// suite: slow
// What is shipped is listed, pinned and licensed; and a list that lacks any of it is noticed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type LockFile,
  makeSbom,
  type Sbom,
  type SbomComponent,
  sbomFaults,
} from '../../scripts/sbom.ts';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;

test('every package that is shipped is in the bill of materials, pinned, hashed and licensed', () => {
  const sbom = makeSbom(lock);
  assert.deepEqual(sbomFaults(sbom, lock, dependencies), []);
  const listed = new Set(sbom.components?.map(({ name }) => name));
  for (const name of Object.keys(dependencies)) assert.ok(listed.has(name), name);
  assert.ok(!listed.has('typescript'), 'what only builds is not shipped');
  const refs = new Set(sbom.components?.map(({ name, version }) => `${name}@${version}`));
  for (const { dependsOn = [] } of sbom.dependencies ?? []) {
    for (const ref of dependsOn) assert.ok(refs.has(ref), ref);
  }
});

const SOUND: SbomComponent = {
  name: '@a/b',
  version: '1.2.3',
  purl: 'pkg:npm/%40a/b@1.2.3',
  licenses: [{ license: { id: 'MIT' } }],
  hashes: [{ alg: 'SHA-512', content: '0'.repeat(128) }],
};
const LOCK: LockFile = {
  packages: {
    '': { version: '0.1.0' },
    'node_modules/@a/b': { version: '1.2.3' },
    'node_modules/tool': { version: '9.9.9', dev: true },
  },
};
const of = (component: Partial<SbomComponent>): Sbom => ({
  ...{ bomFormat: 'CycloneDX', specVersion: '1.5' },
  components: [{ ...SOUND, ...component }],
});

test('a sound bill of materials has no fault', () => {
  assert.deepEqual(sbomFaults(of({}), LOCK, { '@a/b': '1.2.3' }), []);
});

const FAULTY: readonly (readonly [name: string, sbom: Sbom, fault: RegExp])[] = [
  ['another format', { ...of({}), bomFormat: 'SPDX' }, /no CycloneDX/],
  ['a missing package', { ...of({}), components: [] }, /@a\/b@1\.2\.3 is not in it/],
  ['another version', of({ version: '1.2.4' }), /is not in it/],
  ['no licence', of({ licenses: [] }), /the licence none/],
  [
    'a licence that asks for more',
    of({ licenses: [{ license: { id: 'AGPL-3.0' } }] }),
    /AGPL-3\.0/,
  ],
  ['no hash', of({ hashes: [] }), /no SHA-512/],
  ['an address elsewhere', of({ purl: 'pkg:github/a/b@1.2.3' }), /no address of a registry/],
];
for (const [name, sbom, fault] of FAULTY) {
  test(`a bill of materials with ${name} is noticed`, () => {
    assert.match(sbomFaults(sbom, LOCK, {}).join('\n'), fault);
  });
}

for (const version of ['^1.2.3', '~1.2.3', '1.x', 'latest', 'git+https://a.test/b']) {
  test(`a dependency on ${version} is not pinned`, () => {
    assert.match(sbomFaults(of({}), LOCK, { '@a/b': version }).join('\n'), /is not pinned/);
  });
}
