// What is wrong with a command line is told at once, before anything is opened.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { commandLine } from '../support/command-line.ts';

const faults: readonly [string, Record<string, string>, readonly RegExp[]][] = [
  ['serve --port x', {}, [/--port must be a whole number from 0 to 65535/]],
  ['serve --prot 1', {}, [/--prot is not a flag of serve; did you mean --port\?/]],
  ['serve --colour 1', {}, [/--colour is not a flag of serve; see cardea serve --help/]],
  ['serve extra', {}, [/"extra" is one argument too many/]],
  ['serve', { CARDEA_PROT: '1' }, [/CARDEA_PROT is not a setting; did you mean CARDEA_PORT\?/]],
  ['import', {}, [/missing required argument 'file'/]],
  ['import - -', {}, [/Standard input can be read only once/]],
  ['import - --index roles --auth-users', {}, [/cannot be combined/]],
  ['import - --index people', {}, [/--index must be one of accessprofiles/]],
  ['import - --port 1', {}, [/--port is not a flag of import/]],
  ['pat create', {}, [/--owner is missing/, /--name is missing/]],
  ['pat create --owner a --name b --validity 5', {}, [/--validity must be a whole number from 15/]],
  ['api-key create', {}, [/--name is missing/]],
  ['api-key delete', {}, [/missing required argument 'id'/]],
  ['tenant create', {}, [/missing required argument 'name'/]],
  ['migrate-store', {}, [/--to is missing/]],
  ['migrate-store --to mysql://x/y', {}, [/--to must be like postgres:/]],
  ['pat creat', {}, [/unknown command 'creat'\n\(Did you mean create\?\)/]],
  ['bogus', {}, [/unknown command 'bogus'; cardea --help lists the commands/]],
  ['serch', {}, [/unknown command 'serch'\n\(Did you mean search\?\)/]],
  ['query', {}, [/unknown command 'query'\n\(Did you mean search\?\)/]],
  ['pat rm', {}, [/unknown command 'rm'\n\(Did you mean delete\?\)/]],
  ['demo --date tomorrow', {}, [/--date must be a day such as 2025-06-30/]],
  ['demo --date 2025-02-30', {}, [/--date must be a day/]],
  [
    'demo --port x --prot 1 --identities 0 --seed -1',
    { CARDEA_MAX_TERMS: 'many' },
    [/--port /, /--prot /, /--identities /, /--seed /, /CARDEA_MAX_TERMS /],
  ],
];

for (const [text, env, expected] of faults) {
  test(`cardea ${text} ${JSON.stringify(env)} ends with 2 and says why`, async () => {
    const line = commandLine(text.split(' '), {
      env: { CARDEA_DATA_DIR: '/nowhere/at/all', ...env },
    });
    assert.equal(await line.ended, 2, line.err());
    for (const pattern of expected) assert.match(line.err(), pattern);
    const flags = line
      .err()
      .split('\n')
      .filter((entry) => entry.startsWith('error: '));
    assert.equal(flags.length, expected.length, line.err());
    assert.equal(line.out(), '');
    assert.ok(!existsSync('/nowhere'));
  });
}

test('--version prints the version', async () => {
  const line = commandLine(['--version']);
  assert.equal(await line.ended, 0);
  assert.equal(line.out(), '0.0.0\n');
});
