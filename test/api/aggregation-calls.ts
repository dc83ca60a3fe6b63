// Documents, and requests for aggregations over them through a whole service, for the tests of
// POST /search/aggregate.
import assert from 'node:assert/strict';
import type { RunningService } from '../support/service.ts';

const PEOPLE = [
  ['Rome', 'Sales', ['AD', 'AD', 'HR'], '2024-03-30T22:30:00Z', ['Payroll Read', 'Mail']],
  ['Rome', 'Sales', ['AD'], '2024-03-31T00:30:00Z', ['Mail']],
  ['Oslo', 'Sales', ['HR'], '2024-04-02T10:00:00Z', ['Mail', 'Auditor']],
  ['Oslo, North', 'HR', [], '2014-04-05T10:00:00Z', []],
] as const;

/** Documents of three types, for values of every kind. */
export const documents = () => [
  ...PEOPLE.map(([city, department, accounts, created, access], at) => ({
    _type: 'identity',
    id: `i${at + 1}`,
    name: `person.${at + 1}`,
    created,
    inactive: at === 3,
    accountCount: accounts.length,
    attributes: { city, department },
    accounts: accounts.map((name, number) => ({
      id: `a${at}${number}`,
      name: `${name}-${at}${number}`,
      source: { id: `src-${name}`, name },
    })),
    access: access.map((name) => ({
      id: `x-${name}`,
      name,
      type: name === 'Auditor' ? 'ROLE' : 'ENTITLEMENT',
      source: { id: 's', name: 'AD' },
    })),
  })),
  // Enough of them that values are counted by their postings instead of row by row.
  ...Array.from({ length: 20 }, (_, at) => {
    const attribute = at % 2 === 0 ? 'group' : 'role';
    return { _type: 'entitlement', id: `e${at}`, name: 'with', attribute };
  }),
  { _type: 'entitlement', id: 'e20', name: 'without' },
  { _type: 'role', id: 'r1', name: 'Auditor', entitlementCount: 3 },
];

interface Answer {
  readonly aggregations: Record<string, unknown>;
}

/** @param service the service once it runs */
export function aggregationCalls(service: () => RunningService) {
  const ask = async (body: object, query = '', path = '/v2024/search/aggregate') =>
    service().call('POST', `${path}${query}`, { indices: ['identities'], ...body });
  const aggregations = async (body: object): Promise<Record<string, unknown>> => {
    const answer = await ask(body);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as Answer).aggregations;
  };
  return {
    ask,
    aggregations,
    dsl: (aggregationsDsl: object, more: object = {}) =>
      aggregations({ aggregationType: 'DSL', aggregationsDsl, ...more }),
    sailpoint: (spec: object, more: object = {}) =>
      aggregations({ aggregationType: 'SAILPOINT', aggregations: spec, ...more }),
    /** Asserts that a request is refused with this cause. */
    async refused(body: object, cause: RegExp, code = '400.1 Bad Request Content') {
      const answer = await ask(body);
      const fault = (await answer.json()) as { detailCode: string; causes: { text: string }[] };
      assert.equal(answer.status, 400);
      assert.equal(fault.detailCode.toLowerCase(), code.toLowerCase());
      assert.match(fault.causes.map(({ text }) => text).join(' '), cause);
    },
  };
}
