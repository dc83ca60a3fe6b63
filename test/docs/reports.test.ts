// The commands of docs/reports.md are run against a service from the first to the last, each with what the ones before it
// answered, and its tables and numbers are those of the code.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { SETTINGS } from '../../src/config/settings/settings.ts';
import { webhookSignature } from '../../src/jobs/reports/webhook-sender.ts';
import { indexOfType } from '../../src/query/mapping/document-types.ts';
import { DOCUMENT_COLUMNS } from '../../src/query/rows/default-columns.ts';
import {
  MAX_OPEN_RUNS,
  MAX_SEARCHES_PER_OWNER,
} from '../../src/service/saved-searches/saved-searches.ts';
import { MAX_RECIPIENTS } from '../../src/service/saved-searches/scheduled-search-request.ts';
import { documented } from '../support/documented.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type CurlExample, curlExamplesOf } from './curl-examples.ts';

const page = readFileSync('docs/reports.md', 'utf8').replaceAll('$SAIL_BASE_URL', '$URL');

let service: RunningService;
before(async () => {
  service = await startService();
  const accounts = ['Active Directory', 'HR'].map((name) => ({ id: name, source: { name } }));
  await service.addDocuments([
    {
      ...{ _type: 'identity', id: 'ada', name: 'ada', displayName: 'Ada Lovelace' },
      ...{ email: 'ada@example.org', attributes: { department: 'Sales' }, accounts },
    },
    { _type: 'identity', id: 'bo', displayName: 'Bo', attributes: { department: 'Sales' } },
    { _type: 'identity', id: 'cy', displayName: 'Cy', attributes: { department: 'Legal' } },
  ]);
});
after(() => service.stop());

/** The variable that the id in an answer is set to, by the path of the request. */
const IDS: readonly (readonly [path: RegExp, variable: string])[] = [
  [/saved-searches$/, 'SAVED_ID'],
  [/runs\?limit=1$/, 'RUN_ID'],
  [/scheduled-searches$/, 'SCHEDULE_ID'],
];

test('the commands of the page answer what it says', async () => {
  const variables = new Map([
    ['TOKEN', await service.token()],
    ['ME', service.adminId],
  ]);
  const filled = (text: string) =>
    text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => {
      const value = variables.get(name);
      assert.ok(value, `nothing before has set ${name}`);
      return value;
    });
  const examples = curlExamplesOf(page);
  assert.equal(examples.length, 8);
  const check = async ({ method, path, headers, body, claims }: CurlExample) => {
    const answer = await fetch(`${service.url}${filled(path)}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [
        ...([name, filled(value)] as const),
      ]),
      ...(body === undefined ? {} : { body: filled(body) }),
    });
    await documented(method, filled(path), answer);
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${text}`);
    for (const claim of claims) assert.ok(text.includes(claim), `${claim} is not in ${text}`);
    const [, variable] = IDS.find(([pattern]) => pattern.test(path)) ?? [];
    if (variable === undefined) return;
    const record = JSON.parse(text);
    variables.set(variable, (Array.isArray(record) ? record[0] : record).id);
  };
  for (const example of examples) {
    // What is read appears a moment after what was requested; a change is made once.
    const isRead = example.method === 'GET' || example.path.endsWith('/search');
    await (isRead ? eventually(() => check(example)) : check(example));
  }
});

test('the page lists the columns of each type', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| ((?:`[\w.]+` ?)+)\|$/gm)].map(
    ([, type = '', fields = '']) => [
      indexOfType(type),
      fields.replaceAll('`', '').trim().split(' '),
    ],
  );
  assert.deepEqual(Object.fromEntries(rows), DOCUMENT_COLUMNS);
});

test('the numbers of the page are those of the code', () => {
  const text = page.replaceAll(/\s+/g, ' ');
  const number = (value: unknown) => Number(value).toLocaleString('en-US');
  for (const phrase of [
    `CARDEA_REPORT_ROWS\` (${number(SETTINGS.reportRows.byDefault)})`,
    `CARDEA_REPORT_BYTES\` (${SETTINGS.reportBytes.byDefault?.replace('MiB', ' MiB')} of CSV)`,
    `CARDEA_REPORT_SECONDS\` (${SETTINGS.reportSeconds.byDefault})`,
    `CARDEA_REPORT_RUNS_KEPT\` (${SETTINGS.reportRunsKept.byDefault})`,
    `CARDEA_REPORT_TIME_ZONE\` (${SETTINGS.reportTimeZone.byDefault})`,
    `at most ${number(MAX_SEARCHES_PER_OWNER)} saved searches`,
    `At most ${MAX_OPEN_RUNS} runs of a tenant`,
    `at most ${MAX_RECIPIENTS} recipients`,
  ]) {
    assert.ok(text.includes(phrase), phrase);
  }
});

test('the code of the page accepts what the webhook sends, and nothing else', async () => {
  const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  const { isGenuine } = (await import(url)) as {
    isGenuine(headers: object, body: string, secret: string, now?: number): boolean;
  };
  const [secret, body, timestamp] = ['a secret of the test', '{"id":1}', '1770000000'];
  const signature = webhookSignature(secret, timestamp, body);
  const headers = { 'cardea-timestamp': timestamp, 'cardea-signature': signature };
  const now = Number(timestamp) + 10;
  assert.equal(isGenuine(headers, body, secret, now), true);
  assert.equal(isGenuine(headers, `${body} `, secret, now), false);
  assert.equal(isGenuine(headers, body, 'another secret', now), false);
  assert.equal(isGenuine(headers, body, secret, now + 1_000), false);
  const later = { ...headers, 'cardea-timestamp': String(now) };
  assert.equal(isGenuine(later, body, secret, now), false);
  assert.equal(isGenuine({ ...headers, 'cardea-signature': '' }, body, secret, now), false);
});
