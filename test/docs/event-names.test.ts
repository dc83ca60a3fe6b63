// The names of events: those that this service writes and those of the demo, against the public ones
// of test/data, and the documentation of former names.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { demoDocuments } from '../../src/demo/documents.ts';
import { EVENT_NAMES, type EventName } from '../../src/query/mapping/event-names.ts';
import { FORMER_NAMES } from '../../src/query/mapping/former-event-names.ts';

/** By member and type, '' for a type that the reference does not name. */
type PublicNames = Readonly<
  Record<'action' | 'technicalName', Readonly<Record<string, readonly string[]>>>
>;

const PUBLIC = JSON.parse(readFileSync('test/data/public-event-names.json', 'utf8')) as PublicNames;
/** The list that the one of test/data was made from; it is not part of the package. */
const REFERENCE = '../shared/contract/audit-events.json';

function typesOf(member: 'action' | 'technicalName', name: string): readonly string[] {
  return Object.entries(PUBLIC[member]).flatMap(([type, names]) =>
    names.includes(name) ? [type] : [],
  );
}

const technicalName = ({ object, operation }: EventName, status: string) =>
  `${object}_${operation}_${status}`;

describe('the names of events that this service writes', () => {
  for (const [act, name] of Object.entries(EVENT_NAMES)) {
    test(`${act} has no public name for something else`, () => {
      const types = typesOf('action', name.action);
      if (types.length > 0) assert.deepEqual(types, [name.type]);
      for (const status of ['PASSED', 'FAILED', 'STARTED']) {
        const technical = typesOf('technicalName', technicalName(name, status));
        if (technical.length > 0) assert.deepEqual(technical, [name.type]);
        // A technical name may be the public action of the same act alone.
        const asAction = typesOf('action', technicalName(name, status));
        if (asAction.length > 0) assert.equal(name.action, technicalName(name, status));
      }
    });
  }

  test('are public where the public service has the act', () => {
    const isPublic = (name: EventName) => typesOf('action', name.action).length > 0;
    const own = Object.entries(EVENT_NAMES).filter(([, name]) => !isPublic(name));
    const PUBLIC_ACTS =
      /^(PERSONAL_ACCESS_TOKEN|API_CLIENT|(SAVED|SCHEDULED)_SEARCH_(CREATE|MODIFY|DELETE)|.*_(GRANT|REVOKE)$|AUTH_USER_(PATCH|DELETE)$|USE_|REFUSE_TOKEN)/;
    const OWN = ['ACCESS_TOKEN_REVOKE', 'REFRESH_TOKEN_REVOKE'];
    const missing = own.filter(([act]) => PUBLIC_ACTS.test(act) && !OWN.includes(act));
    assert.deepEqual(missing, []);
    assert.equal(Object.keys(EVENT_NAMES).length - own.length, 30);
  });
});

test('every former name is in the documentation, with the names of today', () => {
  const text = readFileSync('docs/decisions/event-names.md', 'utf8');
  const rows = text.split('\n').filter((line) => /^\| `(action|technicalName)` \|/.test(line));
  const documented = rows.map((row) => {
    const [, member, former, names] = row.split('|').map((cell) => cell.trim());
    return [member, former, names?.split(', ')];
  });
  const quoted = (name: string) => `\`${name}\``;
  assert.deepEqual(
    documented,
    FORMER_NAMES.map(({ member, former, names, isVendors }) => [
      quoted(member),
      isVendors ? `${quoted(former)} *` : quoted(former),
      names.map(quoted),
    ]),
  );
});

test('the demo has no event that the public service does not have', () => {
  const seen = new Set<string>();
  for (const document of demoDocuments({ seed: 1, identities: 3000, now: Date.UTC(2025, 10, 1) })) {
    if (document['_type'] !== 'event') continue;
    const { action, type, status, operation, objects, technicalName } = document;
    assert.deepEqual(typesOf('action', String(action)), [type], String(action));
    assert.equal(technicalName, [...(objects as string[]), operation, status].join('_'));
    seen.add(`${action} ${status}`);
  }
  for (const name of [
    ...['ACCESS_REQUEST_APPROVED APPROVED', 'CERTIFICATION_SIGN_OFF PASSED'],
    ...['SOURCE_ACCOUNT_AGGREGATION_PASSED PASSED', 'SOURCE_ACCOUNT_AGGREGATION_FAILED FAILED'],
    ...['USER_STEP_UP_AUTH PASSED', 'USER_STEP_UP_AUTH_FAILURE FAILED'],
    ...['ModifyAccountFailure FAILED', 'passwordChangeFailure FAILED'],
  ]) {
    assert.ok(seen.has(name), name);
  }
});

test('the events of the test documents have public names', () => {
  const lines = readFileSync('test/data/documents.ndjson', 'utf8').trim().split('\n');
  for (const line of lines) {
    const { _type, action, type } = JSON.parse(line) as Record<string, string>;
    if (_type === 'event') assert.deepEqual(typesOf('action', String(action)), [type]);
  }
});

if (existsSync(REFERENCE)) {
  test('the public names are those of the reference', () => {
    const reference = JSON.parse(readFileSync(REFERENCE, 'utf8')) as Record<
      'action' | 'technicalName',
      Record<string, string>
    >;
    for (const member of ['action', 'technicalName'] as const) {
      const names = Object.entries(PUBLIC[member]).flatMap(([type, list]) =>
        list.map((name) => [name, type] as const),
      );
      const expected = Object.entries(reference[member]).map(([name, type]) => [
        name,
        type.startsWith('(') ? '' : type,
      ]);
      assert.deepEqual(names.sort(byName), expected.sort(byName));
    }
  });
}

function byName([a = '']: readonly string[], [b = '']: readonly string[]): number {
  return a < b ? -1 : 1;
}
