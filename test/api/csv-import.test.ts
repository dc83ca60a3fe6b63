// CSV over HTTP: rows change members of documents and auth users, what the service writes as CSV is read
// back, and what is wrong is said.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { demoDocuments } from '../../src/demo/documents.ts';
import { documented } from '../support/documented.ts';
import { addServedTenant, type RunningService, startService } from '../support/service.ts';
import { storedJson } from '../support/stored-json.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

interface Report {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly faults: readonly { readonly line: number; readonly reason: string }[];
  readonly warnings: readonly { readonly line: number; readonly reason: string }[];
}

/** Posts a body of CSV. */
async function post(
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  to = service,
): Promise<{ readonly status: number; readonly body: Report; readonly text: string }> {
  const answer = await fetch(to.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await to.token()}`,
      'content-type': 'text/csv',
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  await documented('POST', path, answer);
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text) as Report, text };
}

const IDENTITIES = '/admin/v1/documents?index=identities&refresh=wait';
const withMap = (map: string) => `/admin/v1/documents?refresh=wait&map=${encodeURIComponent(map)}`;
const counts = ({ body }: { readonly body: Report }) => [
  ...[body.created, body.updated, body.unchanged, body.failed],
];

async function stored(id: string, to = service): Promise<Record<string, unknown>> {
  const document = await storedJson(to.cardea.store, to.tenantId, 'identities', id);
  delete document.synced;
  return document;
}

test('rows create documents, change members of their columns, and keep all others', async () => {
  const first = await post(IDENTITIES, 'id,displayName,attributes.city\nk1,Kim,Köln\nk2,Lou,\n');
  assert.deepEqual(counts(first), [2, 0, 0, 0], first.text);
  assert.deepEqual(await stored('k2'), { id: 'k2', displayName: 'Lou' });
  const second = await post(IDENTITIES, 'id,attributes.level,attributes.city\nk1,A,Köln\nk2,,\n');
  assert.deepEqual(counts(second), [0, 1, 1, 0], second.text);
  assert.deepEqual(await stored('k1'), {
    ...{ id: 'k1', displayName: 'Kim', attributes: { city: 'Köln', level: 'A' } },
  });
  const third = await post(IDENTITIES, 'id,attributes.city,displayName\nk1,,Kim\n');
  assert.deepEqual(counts(third), [0, 1, 0, 0]);
  assert.deepEqual((await stored('k1'))['attributes'], { level: 'A' });
  assert.deepEqual(counts(await post(IDENTITIES, 'id,attributes.city\nk1,\n')), [0, 0, 1, 0]);
  const found = await service.call('POST', '/v2024/search', {
    indices: ['identities'],
    query: { query: 'attributes.level:A' },
  });
  assert.equal(((await found.json()) as unknown[]).length, 1);
});

describe('accounts of a second file', () => {
  const MAP =
    'index: identities\nelements: accounts\nkey: [source.name, name]\ncolumns: { System: source.name, Konto: name, Gesperrt: { to: disabled, type: boolean } }\n';
  const BYTES = 'Wer;System;Konto;Gesperrt\nm1;AD;ada;nein\nm2;AD;bob;nein\nm1;SAP;ADA;ja\n';

  before(async () => {
    const report = await post(
      IDENTITIES,
      'id,displayName,email\nm1,Ada,ADA@x.test\nm2,Bob,b@x.test\nm3,Bea,b@x.test\n',
    );
    assert.deepEqual(counts(report), [3, 0, 0, 0]);
  });

  test('become elements of the people whose ids the rows have, once', async () => {
    const path = withMap(`${MAP}match: { Wer: id }`);
    assert.deepEqual(counts(await post(path, BYTES)), [0, 3, 0, 0]);
    assert.deepEqual(counts(await post(path, BYTES)), [0, 0, 3, 0]);
    const changed = BYTES.replace('bob;nein', 'bob;ja');
    assert.deepEqual(counts(await post(path, changed)), [0, 1, 2, 0]);
    const { accounts, displayName } = await stored('m1');
    assert.equal(displayName, 'Ada');
    assert.deepEqual(
      (accounts as { id: string; name: string; source: object; disabled: boolean }[]).map(
        ({ id: _, ...rest }) => rest,
      ),
      [
        { source: { name: 'AD' }, name: 'ada', disabled: false },
        { source: { name: 'SAP' }, name: 'ADA', disabled: true },
      ],
    );
  });

  test('bring fields of their own, whichever row of a person has them first', async () => {
    const map = MAP.replace(' }\n', ', Zuletzt: accountAttributes.zuletzt }\n');
    const rows = 'm3;AD;bea;nein;2025-08-01\nm3;SAP;BEA;nein;7\nm3;HR;9;nein;7\n';
    const report = await post(
      withMap(`${map}match: { Wer: id }`),
      `Wer;System;Konto;Gesperrt;Zuletzt\n${rows}`,
    );
    assert.deepEqual(counts(report), [0, 3, 0, 0], report.text);
    const count = await service.call('POST', '/v2024/search/count', {
      indices: ['identities'],
      query: { query: '@accounts(accountAttributes.zuletzt:[* TO 2025-09-01] AND name:bea)' },
    });
    await count.arrayBuffer();
    assert.equal(count.headers.get('x-total-count'), '1');
  });

  test('keep what the people file changes later', async () => {
    await post(IDENTITIES, 'id,displayName\nm1,Ada L\n');
    const { accounts, displayName } = await stored('m1');
    assert.deepEqual([(accounts as unknown[]).length, displayName], [2, 'Ada L']);
  });

  test('find people by another member, without case', async () => {
    const path = withMap(`${MAP}match: { Wer: email }`);
    const report = await post(
      path,
      'Wer;System;Konto;Gesperrt\nada@X.test;HR;9;nein\nb@x.test;HR;9;nein\nc@x.test;HR;9;nein\n',
    );
    assert.deepEqual(counts(report), [0, 1, 0, 2], report.text);
    assert.deepEqual(report.body.faults, [
      {
        line: 3,
        reason:
          'several documents in identities have the email "b@x.test"; name them by another member, such as id',
      },
      {
        line: 4,
        reason: 'there is no document in identities whose email is "c@x.test"; import it first',
      },
    ]);
    assert.equal(((await stored('m1'))['accounts'] as unknown[]).length, 3);
  });

  test('are refused for people who do not exist', async () => {
    const report = await post(
      withMap(`${MAP}match: { Wer: id }`),
      BYTES.replaceAll('m1', 'nobody'),
    );
    assert.deepEqual(counts(report), [0, 1, 0, 2]);
    assert.deepEqual(report.body.faults[0], {
      ...{ line: 2, reason: 'there is no document "nobody" in identities; import it first' },
    });
  });
});

test('rows of auth users create them and keep what they do not name', async () => {
  const path = '/admin/v1/auth-users';
  const first = await post(
    path,
    'id,uid,firstname,capabilities\nu1,uma,Uma,HELPDESK; CERT_ADMIN\n',
  );
  assert.deepEqual(counts(first), [1, 0, 0, 0], first.text);
  const map = '{"columns":{"Nr":"id","Name":"lastname"}}';
  const second = await post(`${path}?map=${encodeURIComponent(map)}`, 'Nr;Name\nu1;Uhl\nu2;Neu\n');
  assert.deepEqual(counts(second), [0, 1, 0, 1]);
  assert.deepEqual(second.body.faults, [{ line: 3, reason: 'uid is missing' }]);
  const { firstname, lastname, capabilities } = (await service.cardea.store.read.authUser(
    service.tenantId,
    'u1',
  )) ?? { firstname: '', lastname: '', capabilities: [] };
  assert.deepEqual([firstname, lastname], ['Uma', 'Uhl']);
  assert.deepEqual(capabilities, ['HELPDESK', 'CERT_ADMIN']);
  assert.deepEqual(
    counts(await post(path, 'id,uid,firstname,lastname\nu1,uma,Uma,Uhl\n')),
    [0, 0, 1, 0],
  );
  const admin = `id,capabilities\n${service.adminId},HELPDESK\n`;
  const last = await post(path, admin);
  assert.match(last.text, /would remove ORG_ADMIN from the last user who has it/);
});

describe('a body is read', () => {
  const TEXT = 'id;displayName\ne1;Jürgen\n';
  const CASES: Readonly<
    Record<
      string,
      readonly [body: Uint8Array, headers: Record<string, string>, parameters?: string]
    >
  > = {
    'in the charset of its media type': [
      Buffer.from(TEXT, 'latin1'),
      { 'content-type': 'text/csv; charset="ISO-8859-1"' },
    ],
    'in the encoding of the parameter': [Buffer.from(TEXT, 'latin1'), {}, '&encoding=windows-1252'],
    'from gzip': [gzipSync(TEXT), { 'content-encoding': 'gzip' }],
    'with a separator that is named': [
      Buffer.from(TEXT.replaceAll(';', '^')),
      {},
      '&separator=%5E',
    ],
  };
  for (const [name, [body, headers, parameters = '']] of Object.entries(CASES)) {
    test(name, async () => {
      const report = await post(IDENTITIES + parameters, body, headers);
      assert.equal(report.body.failed, 0, report.text);
      assert.equal((await stored('e1'))['displayName'], 'Jürgen');
    });
  }
});

describe('a request is refused', () => {
  const CASES: Readonly<
    Record<
      string,
      readonly [path: string, status: number, reason: RegExp, headers?: Record<string, string>]
    >
  > = {
    'for an unknown index': [
      '/admin/v1/documents?index=people',
      400,
      /index \\"people\\" is not one of/,
    ],
    'without an index': ['/admin/v1/documents', 400, /name the index of the rows/],
    'for two indexes': [
      `${withMap('{index: roles, columns: {id: id}}')}&index=events`,
      400,
      /index is roles, but the import is into events/,
    ],
    'for a wrong map': [
      withMap('{colums: {}}'),
      400,
      /the map has no member \\"colums\\"; did you mean columns\?/,
    ],
    'for an unknown encoding': [`${IDENTITIES}&encoding=x`, 400, /encoding \\"x\\" is not known/],
    'for a wrong separator': [`${IDENTITIES}&separator=abc`, 400, /must be one character/],
    'for a map of JSON': [
      `${IDENTITIES}&map=x`,
      400,
      /map is for CSV: send Content-Type text\/csv/,
      { 'content-type': 'application/json' },
    ],
    'for gzip that is none': [
      IDENTITIES,
      400,
      /the body is not gzip, or is cut off/,
      { 'content-encoding': 'gzip' },
    ],
    'for auth users of an index': [
      `/admin/v1/auth-users?map=${encodeURIComponent('{index: roles, columns: {id: id}}')}`,
      400,
      /the import is of auth users/,
    ],
    'for auth users that are matched': [
      `/admin/v1/auth-users?map=${encodeURIComponent('{match: {id: uid}, columns: {id: uid}}')}`,
      400,
      /match is for documents/,
    ],
  };
  for (const [name, [path, status, reason, headers = {}]] of Object.entries(CASES)) {
    test(name, async () => {
      const answer = await post(path, 'id\nx\n', headers);
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, reason);
    });
  }

  test('and its first rows kept, when gzip is cut off', async () => {
    const names = Array.from({ length: 10_000 }, (_, n) => `g${n},${Math.random()}`);
    const whole = gzipSync(`id,displayName\n${names.join('\n')}`);
    const cut = whole.subarray(0, whole.length / 2);
    const answer = await post(IDENTITIES, cut, { 'content-encoding': 'gzip' });
    assert.match(answer.text, /the body is not gzip, or is cut off/);
    assert.equal((await stored('g1'))['displayName'], names[1]?.slice(3));
  });
});

test('strict imports stop at the first faulty row', async () => {
  const report = await post(`${IDENTITIES}&strict=true`, 'id,name\nq1,a\nq2\nq3,c\n');
  assert.deepEqual(counts(report), [1, 0, 0, 1], report.text);
});

test('columns that the map does not name are a warning', async () => {
  const report = await post(withMap('{index: identities, columns: {id: id}}'), 'id,Notiz\nw1,x\n');
  assert.deepEqual(counts(report), [1, 0, 0, 0]);
  assert.deepEqual(report.body.warnings, [
    { line: 1, reason: 'columns that the map does not name are left out: "Notiz"' },
  ]);
});

describe('what the service writes is read back without a map', () => {
  const COMPANY = { seed: 5, identities: 40, now: Date.parse('2025-06-30T00:00:00Z') };
  const OF_PEOPLE = [
    ...[
      'id',
      'name',
      'displayName',
      'firstName',
      'lastName',
      'email',
      'phone',
      'created',
      'status',
    ],
    ...['inactive', 'isManager', 'accountCount', 'manager.id', 'manager.name', 'tags'],
    ...['attributes.department', 'attributes.jobTitle', 'attributes.city', 'attributes.startDate'],
  ];
  const OF_ACCOUNTS = [
    ...['id', '@accounts.id', '@accounts.name', '@accounts.accountId', '@accounts.source.id'],
    ...['@accounts.source.name', '@accounts.disabled', '@accounts.created', '@accounts.privileged'],
  ];
  let copy: RunningService;
  before(async () => {
    copy = await addServedTenant(service, 'copy');
    const people = [...demoDocuments(COMPANY)].filter((one) => one['_type'] === 'identity');
    const hostile = { _type: 'identity', id: 'h', displayName: '=1+1, \'+2\n"x"; y', name: "'-x" };
    await service.addDocuments([...people, hostile]);
  });

  const rowsOf = async (from: RunningService, columns: readonly string[], rows?: string) => {
    const body = {
      ...{ indices: ['identities'], query: { query: 'NOT id:(k1 OR k2) AND _exists_:name' } },
      ...(rows === undefined ? {} : { rows, elements: 'all' }),
      ...{ columns, sort: ['id'] },
    };
    const answer = await from.call('POST', '/v2024/search/rows?format=csv', body);
    assert.equal(answer.status, 200);
    return answer.text();
  };

  for (const [name, columns, rows] of [
    ['documents', OF_PEOPLE, undefined],
    ['elements', OF_ACCOUNTS, 'accounts'],
    ['documents with their elements in one row', [...OF_ACCOUNTS, 'displayName'], undefined],
  ] as const) {
    test(`rows of ${name}`, async () => {
      const csv = await rowsOf(service, columns, rows);
      const lines = csv.trimEnd().split('\r\n').length - 1;
      assert.ok(lines > 40, csv);
      const here = await post(IDENTITIES, csv);
      assert.equal(here.body.failed + here.body.created + here.body.updated, 0, here.text);
      const there = await post(IDENTITIES, csv, {}, copy);
      assert.equal(there.body.failed, 0, there.text);
      if (rows === undefined) assert.equal(await rowsOf(copy, columns, rows), csv);
    });
  }
});
