// What a tenant with attributes of its own sees without a choice: columns of rows, and what an explanation says of columns and
// facets. A reader sees by what its view shows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, type Party } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

const ALL = { indices: ['identities'], query: { query: '*' } };
const SHOWN = {
  columns: ['displayName', 'attributes.abteilung', 'attributes.standort', 'attributes.nummer'],
  facets: ['attributes.abteilung', 'attributes.standort'],
};
const IN_SALES = {
  columns: ['displayName', 'attributes.nummer'],
  facets: ['accounts.source.name'],
};

let service: RunningService;
let restricted: Party;
before(async () => {
  service = await startService();
  const people = Array.from({ length: 30 }, (_, at) => ({
    ...{ _type: 'identity', id: `i-${at}`, displayName: `Person ${at}` },
    attributes: {
      ...{ nummer: 1000 + at, firma: 'Beispiel', standort: at % 3 === 0 ? 'Graz' : 'Linz' },
      abteilung: ['Einkauf', 'Vertrieb'][at % 2],
      ...(at === 0 && { selten: 'x' }),
    },
    accounts: at === 1 ? [{ id: 'a', name: 'a', source: { name: 'AD' } }] : [],
  }));
  await service.addDocuments(people);
  const view = {
    ...{ name: 'sales', indices: { identities: 'attributes.abteilung:Vertrieb' } },
    hide: ['attributes.standort'],
  };
  assert.equal((await service.call('POST', '/admin/v1/views', view)).status, 201);
  restricted = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
  const path = `/admin/v1/auth-users/${restricted.userId}`;
  assert.equal((await service.call('PATCH', path, { view: 'sales' })).status, 200);
});
after(() => service.stop());

for (const [who, caller, shown] of [
  ['an administrator', () => service, SHOWN],
  ['a reader through a view', () => restricted, IN_SALES],
] as const) {
  test(`${who} gets columns and facets that the visible documents fill`, async () => {
    const post = (path: string, body: object) =>
      caller().call('POST', `/v2024/search/${path}`, body);
    const explanation = (await (await post('explain', ALL)).json()) as { shown: object };
    assert.deepEqual(explanation.shown, { identities: shown });
    const rows = await post('rows?format=csv&limit=1', ALL);
    assert.equal((await rows.text()).split('\r\n')[0], shown.columns.join(','));
    const chosen = await post('rows?format=csv&limit=0', { ...ALL, columns: ['id'] });
    assert.equal(await chosen.text(), 'id\r\n');
  });
}
