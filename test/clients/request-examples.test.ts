// Every request example, ours and the published ones, by the official npm client: each is answered in the documented
// shape, the client hands on exactly what was sent, and where we know the answer it is that answer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  Configuration,
  Paginator,
  type Search,
  SearchApi,
  type SearchGetIndexV2024,
  SearchV2024Api,
} from 'sailpoint-api-client';
import { indexOfType } from '../../src/query/mapping/document-types.ts';
import { assertDocumented } from '../support/openapi.ts';
import {
  type Examples,
  ownExamples,
  publicExamples,
  type RequestExample,
} from '../support/request-examples.ts';
import { type RunningService, startService } from '../support/service.ts';

type Row = Record<string, unknown>;

/** What an axios answer is read for. */
interface Answer {
  readonly status: number;
  readonly headers: object;
  readonly data: unknown;
}

/** The answer, when docs/openapi.yaml allows it. */
function documentedAnswer(path: string, answer: Answer): unknown {
  const { status, data } = answer;
  const body = typeof data === 'string' ? data : JSON.stringify(data);
  const headers = { ...answer.headers };
  assertDocumented({ method: 'POST', url: `/v2024/${path}`, status, headers, body });
  return data;
}

/** The names of the members of a value, all the way down; of an array, those of its elements together. */
function shapeOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => shapeOf(one, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [`${at} ${typeof value}`];
  return Object.entries(value).flatMap(([name, member]) => shapeOf(member, `${at}.${name}`));
}

function suite(title: string, examples: Examples): void {
  let service: RunningService;
  let client: { readonly v3: SearchApi; readonly v2024: SearchV2024Api };

  before(async () => {
    service = await startService();
    await service.addDocuments(examples.documents);
    const configuration = new Configuration({
      baseurl: service.url,
      tokenUrl: `${service.url}/oauth/token`,
      clientId: service.clientId,
      clientSecret: service.clientSecret,
    });
    client = { v3: new SearchApi(configuration), v2024: new SearchV2024Api(configuration) };
  });
  after(() => service.stop());

  const asks: Record<RequestExample['path'], (search: Search) => Promise<readonly Answer[]>> = {
    search: async (search) => [
      await client.v2024.searchPost({ searchV2024: search as never, count: true }),
      await client.v3.searchPost({ search, count: true }),
    ],
    count: async (search) => [
      await client.v2024.searchCount({ searchV2024: search as never }),
      await client.v3.searchCount({ search }),
    ],
    aggregate: async (search) => [
      await client.v2024.searchAggregate({ searchV2024: search as never }),
      await client.v3.searchAggregate({ search }),
    ],
  };
  const PATHS = { search: 'search', count: 'search/count', aggregate: 'search/aggregate' };

  for (const example of examples.requests) {
    test(`${title}: the client reads the answer to ${example.name}`, async () => {
      const { path, body } = example;
      const raw = await service.call('POST', `/v2024/${PATHS[path]}`, body);
      const sent = await raw.text();
      for (const answer of await asks[path](body as Search)) {
        const data = documentedAnswer(PATHS[path], answer);
        assert.equal(answer.status, path === 'count' ? 204 : 200);
        assert.deepEqual(data, sent === '' ? '' : JSON.parse(sent));
        checkAnswer(example, answer);
      }
    });
  }

  test(`${title}: what can be searched can be counted and aggregated`, async () => {
    for (const { path, body } of examples.requests) {
      if (path !== 'search') continue;
      const found = await client.v3.searchPost({ search: body as Search, count: true, limit: 1 });
      const counted = await client.v3.searchCount({ search: body as Search });
      // A typeahead's answer holds values, its count tells documents.
      if (body['queryType'] !== 'TYPEAHEAD') {
        assert.equal(counted.headers['x-total-count'], found.headers['x-total-count']);
      }
      const aggregationsDsl = { names: { value_count: { field: 'id' } } };
      const search = { ...body, aggregationsDsl } as Search;
      const answer = await client.v3.searchAggregate({ search });
      const { aggregations } = documentedAnswer('search/aggregate', answer) as {
        aggregations: { names: { value: number } };
      };
      assert.equal(typeof aggregations.names.value, 'number');
    }
  });

  test(`${title}: the vendor form of aggregations comes as CSV, too`, async () => {
    for (const { path, body, csv } of examples.requests) {
      if (path !== 'aggregate' || body['aggregationType'] !== 'SAILPOINT') continue;
      const options = { headers: { Accept: 'text/csv' } };
      const answer = await client.v3.searchAggregate({ search: body as Search }, options);
      const text = documentedAnswer('search/aggregate', answer);
      if (csv === undefined) assert.match(String(text), /^[^\n]+\n[^\n]+\n/);
      // The client turns a lone number into one.
      else assert.equal(String(text), csv);
    }
  });

  test(`${title}: every document is read by its id, bare`, async () => {
    for (const document of examples.documents) {
      const { _type, id } = document as { _type: string; id: string };
      const index = indexOfType(_type) as SearchGetIndexV2024;
      const { data, status } = await client.v2024.searchGet({ index, id });
      const raw = await (await service.call('GET', `/v2024/search/${index}/${id}`)).text();
      assert.deepEqual([status, data], [200, JSON.parse(raw)]);
      const row = data as unknown as Row;
      assert.equal(row['id'], id);
      for (const name of ['_type', '_version', 'pod', 'org']) assert.equal(name in row, false);
    }
  });

  test(`${title}: the pager walks every document once`, async (t) => {
    t.mock.method(console, 'log', () => undefined);
    for (const document of ['identity', 'role', 'entitlement']) {
      const search = { query: { query: `_type:${document}` }, sort: ['id'] } as Search;
      const { data } = await Paginator.paginateSearchApi(client.v3, search, 1);
      const ids = examples.documents.filter(({ _type }) => _type === document).map(({ id }) => id);
      assert.deepEqual(
        data.map((row) => (row as Row)['id']),
        [...new Set(ids)].sort(),
      );
    }
  });
}

function checkAnswer(example: RequestExample, { data, headers }: Answer): void {
  const { ids, values, total, aggregations, response } = example;
  if (ids !== undefined) {
    assert.deepEqual(
      (data as Row[]).map(({ id }) => id),
      ids,
    );
  }
  if (values !== undefined) assert.deepEqual(data, values);
  if (total !== undefined) {
    assert.equal((headers as Row)['x-total-count'], String(total));
  }
  if (aggregations !== undefined) {
    assert.deepEqual((data as { aggregations: unknown }).aggregations, aggregations);
  }
  if (Array.isArray(response)) checkShape(data as unknown[], response, example.name);
}

/** A flag that the specification shows as a text; see docs/differences.md. */
const SHOWN_OTHERWISE = '[].containsDataAccess';

/** Shown with values that do not begin with what was asked for. */
const SHOWN_IN_VAIN = 'typeAheadQuery-nestedType of the specification';

/** Members that both have are of one type. */
function checkShape(rows: readonly unknown[], shown: readonly unknown[], name: string): void {
  assert.equal(rows.length > 0, name !== SHOWN_IN_VAIN, `${name}: ${rows.length} rows`);
  const types = (value: readonly unknown[]) =>
    new Map(shapeOf(value).map((line) => line.split(' ') as [string, string]));
  const expected = types(shown);
  for (const [member, type] of types(rows)) {
    if (!expected.has(member) || member === SHOWN_OTHERWISE) continue;
    assert.equal(type, expected.get(member), member);
  }
}

suite('our own', ownExamples());
const published = publicExamples();
if (published !== null) suite('the specification', published);
