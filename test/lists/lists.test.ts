// The read-only lists over HTTP: each is compared with a naive evaluation of the documents, page by
// page, while documents are written and deleted; then what each list refuses, and what is below an
// object.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Random } from '../differential/random.ts';
import { caseCount } from '../support/case-count.ts';
import { type RunningService, startService } from '../support/service.ts';
import { holds, idOf, listedIn, NAIVE_LISTS, sorted } from './naive-lists.ts';
import { type Document, ListedDocuments, listedDocuments } from './random-documents.ts';
import { randomComparison, randomFilter, randomSorters, written } from './random-filters.ts';

const SEED = 36;
let service: RunningService;
const documents = new Map<string, Document>();

before(async () => {
  service = await startService();
  for (const document of listedDocuments(new Random(SEED))) keep(document);
  await service.addDocuments([...documents.values()] as Record<string, unknown>[]);
});
after(() => service.stop());

function keep(document: Document): void {
  documents.set(String(document['id']), document);
}

interface Answer {
  readonly status: number;
  readonly total: string | null;
  readonly body: readonly Document[];
}

async function get(path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  const query = new URLSearchParams(parameters);
  const answer = await service.call('GET', `${path}?${query}`);
  const body = (await answer.json()) as Document[];
  return { status: answer.status, total: answer.headers.get('x-total-count'), body };
}

/** The ids of a list, read in pages of `limit`. */
async function walk(
  path: string,
  parameters: Record<string, string>,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await get(path, {
      ...parameters,
      limit: String(limit),
      offset: String(offset),
    });
    assert.equal(page.status, 200, JSON.stringify(page.body));
    ids.push(...page.body.map(({ id }) => id));
    if (page.body.length < limit) return ids;
    await between();
  }
}

for (const list of NAIVE_LISTS) {
  const all = () => listedIn(list, [...documents.values()]);
  const idsOf = (listed: ReturnType<typeof all>) => listed.map((each) => idOf(list, each));

  describe(list.path, () => {
    test('walked by limit and offset has every object once', async () => {
      for (const limit of [7, 50]) {
        const ids = await walk(list.path, {}, limit);
        assert.equal(new Set(ids).size, ids.length);
        assert.deepEqual(new Set(ids), new Set(idsOf(all())));
      }
    });

    test('is in the order of each sorter, and ties by id', async () => {
      for (const sorter of list.sorters.flatMap((name) => [name, `-${name}`])) {
        const expected = idsOf(sorted(list, all(), sorter));
        assert.deepEqual(await walk(list.path, { sorters: sorter }, 13), expected, sorter);
      }
    });

    test('is in the order of several sorters', async () => {
      const random = new Random(SEED);
      for (let n = 0; n < caseCount(4, 80) && list.sorters.length > 1; n++) {
        const names = [random.pick(list.sorters), random.pick(list.sorters)];
        const sorters = names.map((name) => (random.chance(0.5) ? `-${name}` : name)).join(',');
        const expected = idsOf(sorted(list, all(), sorters));
        assert.deepEqual(await walk(list.path, { sorters }, 17), expected, sorters);
      }
    });

    test('has what each operator of each field matches', async () => {
      const random = new Random(SEED);
      for (const field of Object.keys(list.operators)) {
        for (let n = 0; n < caseCount(3, 60); n++) {
          const comparison = randomComparison({ list, objects: all(), random }, field);
          const filters = written(comparison);
          const { status, body, total } = await get(list.path, {
            ...{ filters, count: 'true' },
            limit: '50',
          });
          assert.equal(status, 200, `${filters}: ${JSON.stringify(body)}`);
          const expected = all().filter((each) => holds(comparison, list, each));
          assert.equal(total, String(expected.length), filters);
          const ids = new Set(idsOf(expected));
          assert.equal(body.length, Math.min(50, expected.length), filters);
          for (const { id } of body) assert.ok(ids.has(id), `${filters} has ${id}`);
        }
      }
    });

    test('has what comparisons match that and, or and not join', async () => {
      const random = new Random(SEED + 1);
      const source = { list, objects: all(), random };
      for (let n = 0; n < caseCount(12, 400); n++) {
        const filter = randomFilter(source, 3);
        const expected = all().filter(filter.holds);
        const parameters = { filters: filter.text, ...randomSorters(source) };
        const ids = await walk(list.path, parameters, 29);
        assert.deepEqual(new Set(ids), new Set(idsOf(expected)), filter.text);
        assert.equal(ids.length, expected.length, filter.text);
        const { total } = await get(list.path, { ...parameters, count: 'true', limit: '1' });
        assert.equal(total, String(expected.length), filter.text);
        const { sorters = '' } = parameters;
        if (sorters !== '') {
          assert.deepEqual(ids, idsOf(sorted(list, expected, sorters)), filter.text);
        }
      }
    });

    test('refuses what is no field, operator, sorter or page of it', async () => {
      const refused: Record<string, string>[] = [
        { filters: 'nothing eq "a"' },
        { filters: `${Object.keys(list.operators)[0]} co` },
        { filters: 'created ca "a"' },
        { sorters: 'nothing' },
        { limit: '251' },
        { limit: '-1' },
        { offset: 'x' },
        { count: 'maybe' },
      ];
      for (const parameters of refused) {
        const { status } = await get(list.path, parameters);
        assert.equal(status, 400, JSON.stringify(parameters));
      }
    });
  });
}

describe('while documents are written and deleted', () => {
  const isKept = (id: unknown) => !String(id).startsWith('w');

  for (const sorters of ['', 'name', '-created,id']) {
    test(`a walk by "${sorters}" has every other account once`, async () => {
      const [list] = NAIVE_LISTS;
      assert.ok(list);
      const made = new ListedDocuments(new Random(SEED + 2));
      const expected = listedIn(list, [...documents.values()]).map((each) => idOf(list, each));
      let n = 0;
      const parameters: Record<string, string> = sorters === '' ? {} : { sorters };
      const ids = await walk('/v3/accounts', parameters, 11, async () => {
        n += 1;
        // Some come before the page and some after it; the next time they go again.
        const ids = [`w-0-${sorters}`, `w-z-${sorters}`, `w${n % 3}`];
        if (n % 2 === 1) {
          await service.addDocuments(
            ids.map((id) => made.identity(id)) as Record<string, unknown>[],
          );
        } else {
          for (const id of ids) await remove('identities', id);
        }
      });
      const kept = ids.filter(isKept);
      assert.equal(new Set(kept).size, kept.length);
      assert.deepEqual(new Set(kept), new Set(expected.filter(isKept)));
      for (const id of [`w-0-${sorters}`, `w-z-${sorters}`, 'w0', 'w1', 'w2']) {
        await remove('identities', id);
      }
    });
  }
});

async function remove(index: string, id: string): Promise<void> {
  const path = `/admin/v1/documents/${index}/${encodeURIComponent(id)}?refresh=wait`;
  const { status } = await service.call('DELETE', path);
  assert.ok([204, 404].includes(status), String(status));
}
