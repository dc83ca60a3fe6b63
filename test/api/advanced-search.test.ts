// Advanced search over HTTP: what each kind of rule means on a handful of people, how faults are told, how kept searches are
// edited, how found profiles page, who may do what, and what the audit trail says.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Call, withApiKey } from '../support/api-key.ts';
import { addTenant, addUser } from '../support/callers.ts';
import { type ProfileWorld, profileWorld } from '../support/profile-world.ts';
import { type RunningService, startService } from '../support/service.ts';

const NOBODY = '99999999-0000-4000-8000-000000000009';
const DAY_MS = 86_400_000;
/** The time of the service, which is fixed so that the date cannot change during the test. */
const NOW = '2026-03-18T12:00:00Z';

let service: RunningService;
let call: Call;
let world: ProfileWorld;
/** What cases name by `$name`. */
const names: Record<string, string> = {};

/** The date that many days after NOW, in the format of the attribute `start`. */
function day(days: number): string {
  const [year, month, date] = new Date(Date.parse(NOW) + days * DAY_MS)
    .toISOString()
    .slice(0, 10)
    .split('-');
  return `${month}/${date}/${year}`;
}

before(async () => {
  service = await startService({ CARDEA_TESTING: 'on', CARDEA_NOW: NOW });
  ({ call } = await withApiKey(service));
  world = await profileWorld(call);
  const acme = await world.profile({ first_name: 'Acme' }, { name: 'Acme' });
  const made: Record<string, [object, object]> = {
    ada: [
      {
        ...{
          first_name: 'Ada',
          last_name: 'Byron',
          hours: '9',
          site: 'Oslo',
          skills: 'Oslo, Bergen',
        },
        ...{ start: day(-10), iso: '2030-01-05', company: acme.id, sponsor: world.userIds[0] },
      },
      {},
    ],
    ines: [
      {
        ...{ first_name: 'ines', last_name: 'Okafor', hours: '10.5', site: 'Bergen' },
        ...{ start: day(5), backups: world.userIds },
      },
      { status: 'On Leave' },
    ],
    tom: [{ first_name: 'Tom 50%', hours: '-2' }, { status: 'Terminated' }],
  };
  for (const [name, [attributes, more]] of Object.entries(made)) {
    const profile = await world.profile(attributes, { name, ...more });
    names[name] = profile.id;
  }
  await world.profile({ first_name: 'Old Ada' }, { name: 'archived', archived: true });
  Object.assign(names, { acme: acme.id, type: world.typeId, mira: world.userIds[0] });
  Object.assign(names, world.attributes);
  const options = await call('GET', '/api/ne_attribute_options?ne_attribute_id=site');
  names['oslo'] = options.body.find(({ option }: { option: string }) => option === 'Oslo').id;
});
after(() => service.stop());

const named = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/\$(\w+)/g, (whole, name) => names[name] ?? whole));

const about = (key: string, comparison_operator: string, value?: unknown, more: object = {}) => ({
  ...{ type: 'ProfileAttributeRule', object_type: 'NeAttribute', condition_object_id: key },
  ...{ comparison_operator, value, ...more },
});
const status = (comparison_operator: string, value: string) => ({
  ...{ type: 'ProfileStatusRule', comparison_operator, value },
});
const ofType = (comparison_operator: string, value: string) => ({
  ...{ type: 'ProfileTypeRule', comparison_operator, value },
});

function run(rules: unknown, query = 'order=name') {
  const body = { advanced_search: { condition_rules_attributes: named(rules) } };
  return call('POST', `/api/advanced_search/run?${query}`, body);
}

const EVERYONE = 'Acme ada ines tom';

/** Rule, and the names of those it finds. */
const MEANINGS: readonly [rule: object, found: string][] = [
  [status('==', 'Active'), 'Acme ada'],
  [status('==', 'leave of ABSENCE'), 'ines'],
  [status('!=', 'On Leave'), 'Acme ada tom'],
  [ofType('==', '$type'), EVERYONE],
  [ofType('!=', '$type'), ''],
  [ofType('==', NOBODY), ''],
  [ofType('!=', NOBODY), EVERYONE],
  [about('$first_name', '==', ' ADA '), 'ada'],
  [about('first_name', '!=', 'Ada'), 'Acme ines tom'],
  [about('first_name', 'start_with?', 'a'), 'Acme ada'],
  [about('first_name', 'end_with?', 'ME'), 'Acme'],
  [about('first_name', 'include?', 'm 50%'), 'tom'],
  [about('first_name', 'include?', '%'), 'tom'],
  [about('first_name', 'includes?', 'n'), 'ines'],
  [about('first_name', 'excludes?', 'a'), 'ines tom'],
  [about('last_name', '==', ''), 'Acme tom'],
  [about('last_name', '!=', ''), 'ada ines'],
  [about('last_name', '!=', 'Byron'), 'Acme ines tom'],
  [about('hours', '>', '9'), 'ines'],
  [about('hours', '<', 10), 'ada tom'],
  [about('hours', '>', '1x'), 'ada'],
  [about('site', '==', '$oslo'), 'ada'],
  [about('site', 'include?', ' oslo'), 'ada'],
  [about('site', '!=', 'Oslo'), 'Acme ines tom'],
  [about('site', '==', 'Nowhere'), ''],
  [about('site', 'exclude?', 'Nowhere'), EVERYONE],
  [about('skills', 'include?', 'Bergen'), 'ada'],
  [about('skills', '==', ''), 'Acme ines tom'],
  [about('company', 'include?', '$acme'), 'ada'],
  [about('company', 'exclude?', '$acme'), 'Acme ines tom'],
  [about('company', 'include?', ' $acme '), 'ada'],
  [about('company', '==', NOBODY), ''],
  [about('sponsor', '==', '$mira'), 'ada'],
  [about('sponsor', '==', ' '), 'Acme ines tom'],
  [about('backups', 'include?', '$mira'), 'ines'],
  [about('start', 'before', 'Today'), 'ada'],
  [about('start', 'after', 'today'), 'ines'],
  [about('start', 'before', day(5)), 'ada'],
  [about('start', 'after', '2000-01-01'), 'ada ines'],
  [about('iso', 'after', '2030-01-04'), 'ada'],
  [about('iso', 'after', 'start'), 'ada'],
  [about('iso', 'after', undefined, { secondary_attribute_id: '$start' }), 'ada'],
  [about('start', '==', '10 before'), 'ada'],
  [about('start', '<', '30 after'), 'ines'],
  [about('start', '>', '5 after'), ''],
  [about('start', '==', 'Today', { tertiary_value: 5, secondary_value: 'after' }), 'ines'],
  [about('start', '==', ''), 'Acme tom'],
  [{ type: 'RiskRule', comparison_operator: '==', value: NOBODY }, ''],
];

for (const [rule, found] of MEANINGS) {
  test(`${JSON.stringify(rule)} finds ${found || 'nobody'}`, async () => {
    const { status: code, body } = await run([rule]);
    assert.equal(code, 200, JSON.stringify(body));
    const people = body.profiles.map(({ name }: { name: string }) => name).join(' ');
    assert.equal(people, found);
  });
}

test('all rules must be met, and none are met by everyone', async () => {
  const both = await run([status('==', 'Active'), about('first_name', 'start_with?', 'ad')]);
  assert.deepEqual(
    both.body.profiles.map(({ id }: { id: string }) => id),
    [names['ada']],
  );
  const neither = await run([status('==', 'Active'), status('==', 'Terminated')]);
  assert.deepEqual(neither.body, { profiles: [] });
  assert.equal((await run([])).body.profiles.length, 4);
});

test('what is found are whole records, in pages like those of a list', async () => {
  const { body } = await run([], 'order=name&limit=1&offset=1&metadata=true');
  assert.equal(body.profiles[0].attributes.site, 'Oslo');
  const at = '/api/advanced_search/run?offset=';
  assert.deepEqual(body._metadata, {
    ...{ limit: 1, offset: 1, total: 4 },
    next: `${at}2&limit=1&order=name&metadata=true`,
    previous: `${at}0&limit=1&order=name&metadata=true`,
  });
  for (const query of ['limit=501', 'limit=0', 'offset=-1', 'order=-name', 'metadata=maybe']) {
    assert.equal((await run([], query)).status, 400, query);
  }
});

const FAULTS: readonly [rule: object, member: string, sentence: string][] = [
  [{}, 'type', 'is not included in the list'],
  [{ type: 'OtherRule', comparison_operator: '==' }, 'type', 'is not included in the list'],
  [{ type: 'ProfileStatusRule', value: 'Active' }, 'comparison_operator', "can't be blank"],
  [status('>', 'Active'), 'comparison_operator', 'is not included in the list'],
  [status('==', 'Gone'), 'value', 'is not included in the list'],
  [{ type: 'ProfileTypeRule', comparison_operator: '==' }, 'value', "can't be blank"],
  [about('first_name', 'before', 'x'), 'comparison_operator', 'is not included in the list'],
  [about('site', 'start_with?', 'x'), 'comparison_operator', 'is not included in the list'],
  [about('start', 'include?', 'x'), 'comparison_operator', 'is not included in the list'],
  [about('first_name', '=='), 'value', "can't be blank"],
  [about('first_name', '==', ['x']), 'value', 'must be a string'],
  [about('first_name', '==', true), 'value', 'must be a string'],
  [
    about('first_name', '==', 'x'.repeat(4001)),
    'value',
    'is too long (maximum is 4000 characters)',
  ],
  [about('start', 'before', '30/30/2026'), 'value', 'is not a date'],
  [
    about('start', '>', 'soon'),
    'value',
    'must be a number of days and before or after, such as 30 after',
  ],
  [
    about('start', '>', 'Today', { tertiary_value: 'x', secondary_value: 'after' }),
    'tertiary_value',
    'is not a number of days',
  ],
  [
    about('start', '>', 'Today', { tertiary_value: '3' }),
    'secondary_value',
    'is not included in the list',
  ],
  [
    about('start', 'after', undefined, { secondary_attribute_id: NOBODY }),
    'secondary_attribute_id',
    'was not found',
  ],
  [
    about('start', 'after', undefined, { secondary_attribute_id: 'site' }),
    'secondary_attribute_id',
    'must be a date attribute',
  ],
  [
    about('first_name', '==', 'x', { object_type: 'Other' }),
    'object_type',
    'is not included in the list',
  ],
  [about('first_name', '==', 'x', { object_type: null }), 'object_type', "can't be blank"],
  [
    about('first_name', '==', 'x', { condition_object_type: 'DateAttribute' }),
    'condition_object_type',
    'must be TextFieldAttribute',
  ],
  [about('', '==', 'x'), 'condition_object_id', "can't be blank"],
  [about(NOBODY, '==', 'x'), 'condition_object_id', 'was not found'],
  [about('photo', '==', 'x'), 'condition_object_id', 'cannot be searched'],
  [
    { type: 'RiskRule', comparison_operator: '!=', value: 'x' },
    'comparison_operator',
    'is not included in the list',
  ],
  [
    { type: 'RiskRule', comparison_operator: '==', value: 'x', secondary_value: 'Other' },
    'secondary_value',
    'is not included in the list',
  ],
];

for (const [rule, member, sentence] of FAULTS) {
  test(`${JSON.stringify(rule).slice(0, 200)} is refused: ${member} ${sentence}`, async () => {
    const { status: code, body } = await run([status('==', 'Active'), rule]);
    assert.equal(code, 400);
    assert.deepEqual(body, {
      error: 'The advanced search failed to run',
      errors: { [`condition_rules_attributes[1].${member}`]: [sentence] },
    });
  });
}

test('a body that holds no search is refused', async () => {
  const missing = { error: 'param is missing or the value is empty: advanced_search' };
  for (const body of [
    {},
    [],
    { advanced_search: {} },
    { advanced_search: [] },
    { advanced_search: 'x' },
  ]) {
    assert.deepEqual((await call('POST', '/api/advanced_search/run', body)).body, missing);
  }
  const shape = { condition_rules_attributes: ['must be an array of rules'] };
  for (const rules of [{}, 'x', null, [1], [[]]]) {
    assert.deepEqual((await run(rules)).body.errors, shape);
  }
  const many = await run(Array.from({ length: 101 }, () => status('==', 'Active')));
  assert.deepEqual(many.body.errors, {
    condition_rules_attributes: ['is too long (maximum is 100 rules)'],
  });
  const broken = await call('POST', '/api/advanced_search/run', '{');
  assert.match(broken.body.error, /^Invalid JSON syntax\./);
});

/** Filters of a run beside its rules, and the names of those it finds. */
const FILTERED: readonly [query: string, found: string][] = [
  ['', 'Acme ada'],
  ['first_name=ada', 'ada'],
  ['query[first_name]=%20ADA', 'ada'],
  ['name=acme', 'Acme'],
  ['id=$ada', 'ada'],
  ['uid=none', ''],
  ['status=On%20Leave', ''],
  ['status=active&skills=bergen', 'ada'],
  ['profile_type_id=$type', 'Acme ada'],
  ['company=$acme', 'ada'],
  ['sponsor=$mira&limit=1', 'ada'],
  ['name_contains=A&created_at=2026-03-18', 'Acme ada'],
  ['updated_at=2020-01-01', ''],
  ['first_name=ines', ''],
  // Runs never have archived profiles.
  ['archived=true', 'Acme ada'],
];
test('a run finds what both its rules and the filters in its query match', async () => {
  const rules = [status('==', 'Active')];
  const { body } = await call('POST', '/api/advanced_search', {
    advanced_search: { condition_rules_attributes: rules },
  });
  const { id } = body.advanced_search;
  for (const [query, expected] of FILTERED) {
    const filters = `order=name&metadata=true&${query.replace(/\$(\w+)/g, (_, name) => names[name] ?? '')}`;
    const kept = await call('GET', `/api/advanced_search/${id}/run?${filters}`);
    for (const answer of [kept, await run(rules, filters)]) {
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const found = answer.body.profiles.map(({ name }: { name: string }) => name).join(' ');
      assert.equal(found, expected, query);
      assert.equal(answer.body._metadata.total, expected === '' ? 0 : expected.split(' ').length);
      const warning = answer.headers.get('warning');
      if (query.includes('archived')) assert.match(String(warning), /parameters \\"archived\\"/);
      else assert.equal(warning, null, query);
    }
  }
  for (const [query, error] of [
    ['status=Gone', /^status must be one of/],
    ['start=soon', /^start must be a date/],
    ['photo=x', /^photo cannot be a filter/],
  ] as const) {
    const refused = await call('GET', `/api/advanced_search/${id}/run?${query}`);
    assert.equal(refused.status, 400);
    assert.match(refused.body.error, error);
  }
  assert.equal((await call('DELETE', `/api/advanced_search/${id}`)).status, 204);
});

const keep = (search: object) =>
  call('POST', '/api/advanced_search', { advanced_search: named(search) });
const edit = (id: string, search: object) =>
  call('PATCH', `/api/advanced_search/${id}`, { advanced_search: named(search) });

test('kept searches are listed by label, in any case, those without one last', async () => {
  const labels = ['beta', 'Alpha', null, 'alpha', 'GAMMA'];
  for (const label of labels) await keep({ label, condition_rules_attributes: [] });
  const path = '/api/advanced_search?order=label&limit=2&metadata=true';
  const walked: { id: string; label: string | null }[] = [];
  for (let next = path; next !== ''; ) {
    const { status, body } = await call('GET', next);
    assert.equal(status, 200, JSON.stringify(body));
    walked.push(...body.advanced_search);
    next = body._metadata.next;
  }
  assert.deepEqual(
    walked.map(({ label }) => label?.toLowerCase() ?? null),
    ['alpha', 'alpha', 'beta', 'gamma', null],
  );
  assert.ok((walked[0]?.id ?? '') < (walked[1]?.id ?? ''), 'ties are broken by id');
  for (const { id } of walked) await call('DELETE', `/api/advanced_search/${id}`);
  const refused = await call('GET', '/api/advanced_search?order=rules');
  assert.equal(refused.status, 400);
  assert.match(refused.body.error, /^order must be one of id, uid, label, created_at, updated_at/);
});

test('a kept search is read as sent, with ids and classes, and runs', async () => {
  const { body } = await keep({
    label: 'Byrons',
    condition_rules_attributes: [
      {
        ...about('last_name', 'includes?', 'byron'),
        id: 'ignored',
        object_type: undefined,
        condition_object_type: 'TextFieldAttribute',
      },
      { ...status('==', 'Active'), _destroy: 'true' },
    ],
  });
  const { id, uid, label, condition_rules_attributes: rules } = body.advanced_search;
  assert.equal(label, 'Byrons');
  assert.deepEqual(rules, [
    {
      ...{ id: rules[0].id, uid: rules[0].uid, type: 'ProfileAttributeRule' },
      ...{ comparison_operator: 'includes?', value: 'byron', object_type: 'NeAttribute' },
      ...{ condition_object_id: names['last_name'], condition_object_type: 'TextFieldAttribute' },
    },
  ]);
  for (const key of [id, uid]) {
    assert.deepEqual((await call('GET', `/api/advanced_search/${key}`)).body, body);
    const result = await call('GET', `/api/v1/advanced_search/${key}/run?metadata=true`);
    assert.deepEqual(
      result.body.profiles.map(({ name }: { name: string }) => name),
      ['ada'],
    );
    assert.equal(result.body._metadata.total, 1);
    const listed = await call('GET', `/api/advanced_search?id=${key}&metadata=1`);
    assert.deepEqual(listed.body.advanced_search, [body.advanced_search]);
    assert.equal(listed.body._metadata.total, 1);
  }
  assert.equal((await call('DELETE', `/api/advanced_search/${uid}`)).status, 204);
  for (const path of [id, `${id}/run`]) {
    const gone = await call('GET', `/api/advanced_search/${path}`);
    assert.equal(gone.status, 404);
    assert.deepEqual(gone.body, { error: 'The requested Advanced Search was not found' });
  }
  assert.deepEqual((await call('GET', `/api/advanced_search?id=${id}`)).body, {
    advanced_search: [],
  });
});

test('rules are changed, added and taken away in one edit, or not at all', async () => {
  const { advanced_search: saved } = (await keep({ label: 'by hand' })).body;
  assert.deepEqual(saved.condition_rules_attributes, []);
  const rules = [
    status('==', 'Active'),
    about('first_name', '==', 'Ada'),
    status('!=', 'Inactive'),
  ];
  const added = (await edit(saved.id, { condition_rules_attributes: rules })).body.advanced_search;
  const [first, second, third] = added.condition_rules_attributes;
  const edited = await edit(saved.id, {
    condition_rules_attributes: [
      { id: first.id, _destroy: '1' },
      {
        id: second.id,
        condition_object_id: '$start',
        comparison_operator: 'before',
        value: 'Today',
      },
      { ...ofType('==', '$type') },
      { ...status('==', 'On Leave'), _destroy: true },
    ],
  });
  const whole = edited.body.advanced_search;
  assert.equal(whole.label, 'by hand');
  assert.deepEqual(whole.condition_rules_attributes.slice(0, 2), [
    {
      ...{ id: second.id, uid: second.uid, type: 'ProfileAttributeRule' },
      ...{ comparison_operator: 'before', value: 'Today', object_type: 'NeAttribute' },
      ...{ condition_object_id: names['start'], condition_object_type: 'DateAttribute' },
    },
    third,
  ]);
  assert.equal(whole.condition_rules_attributes[2].type, 'ProfileTypeRule');
  const half = await edit(saved.id, {
    label: 'lost',
    condition_rules_attributes: [
      { id: third.id, _destroy: true },
      { id: NOBODY, value: 'x' },
      { id: second.id, value: 'x' },
      { id: { toString: 1 }, value: 'x' },
    ],
  });
  assert.equal(half.status, 400);
  assert.deepEqual(half.body, {
    error: 'The advanced search failed to update',
    errors: {
      condition_rules_attributes: [`there is no rule ${NOBODY}`, 'there is no rule {"toString":1}'],
      'condition_rules_attributes[2].value': ['is not a date'],
    },
  });
  assert.deepEqual(
    (await call('GET', `/api/advanced_search/${saved.id}`)).body.advanced_search,
    whole,
  );
});

test('a rule about an attribute that is gone is refused when it runs, and can be taken away', async () => {
  await call('POST', '/api/ne_attributes', {
    ne_attribute: { uid: 'passing', label: 'Passing', data_type: 'text field' },
  });
  const rules = [about('passing', '==', 'x'), status('==', 'Active')];
  const { id, condition_rules_attributes: savedRules } = (
    await keep({ condition_rules_attributes: rules })
  ).body.advanced_search;
  await call('DELETE', '/api/ne_attributes/passing');
  const { status: code, body } = await call('GET', `/api/advanced_search/${id}/run`);
  assert.equal(code, 400);
  assert.deepEqual(body.errors, {
    'condition_rules_attributes[0].condition_object_id': ['was not found'],
  });
  await edit(id, { condition_rules_attributes: [{ id: savedRules[0].id, _destroy: 1 }] });
  const result = await call('GET', `/api/advanced_search/${id}/run`);
  assert.equal(result.body.profiles.length, 2);
});

test('another tenant has neither the search nor what its rules name', async () => {
  const { tenantId } = await addTenant(service, 'elsewhere');
  const other = await withApiKey(service, tenantId);
  const { id } = (await keep({ label: 'ours' })).body.advanced_search;
  for (const [method, path] of [
    ['GET', `/api/advanced_search/${id}`],
    ['GET', `/api/advanced_search/${id}/run`],
    ['DELETE', `/api/advanced_search/${id}`],
  ] as const) {
    assert.equal((await other.call(method, path)).status, 404);
  }
  assert.deepEqual((await other.call('GET', '/api/advanced_search')).body, { advanced_search: [] });
  const runOf = (rule: object) =>
    other.call('POST', '/api/advanced_search/run', {
      advanced_search: { condition_rules_attributes: [named(rule)] },
    });
  assert.deepEqual((await runOf(ofType('==', '$type'))).body, { profiles: [] });
  const unknown = await runOf(about('$first_name', '==', 'Ada'));
  assert.deepEqual(unknown.body.errors, {
    'condition_rules_attributes[0].condition_object_id': ['was not found'],
  });
});

test('a helpdesk user runs searches and keeps none', async () => {
  const helpdesk = await addUser(service, { capabilities: ['HELPDESK'] });
  const body = { advanced_search: { label: 'x' } };
  const paths = { '/api/advanced_search/run': 200, '/api/advanced_search': 403 };
  for (const [path, expected] of Object.entries(paths)) {
    assert.equal((await helpdesk.call('POST', path, body)).status, expected);
  }
});

test('keeping, editing and deleting a search are told in the audit trail', async () => {
  const { id } = (await keep({ label: 'told' })).body.advanced_search;
  await edit(id, { label: 'told again' });
  await call('DELETE', `/api/advanced_search/${id}`);
  const changes = await service.cardea.store.read.changesAfter(0, 10_000);
  const events = changes
    .filter(({ index }) => index === 'events')
    .map(({ document }) => JSON.parse(new TextDecoder().decode(document?.root)))
    .filter(({ attributes }) => attributes.targetId === id)
    .map(({ action, target, attributes }) => ({ what: `${action} ${target.name}`, ...attributes }));
  assert.deepEqual(
    events.map(({ what }) => what),
    [
      'CreateAdvancedSearch told',
      'ModifyAdvancedSearch told again',
      'DeleteAdvancedSearch told again',
    ],
  );
  const label = (text: string | undefined) => (text === undefined ? text : JSON.parse(text).label);
  assert.deepEqual(
    events.map(({ before, after }) => [label(before), label(after)]),
    [
      [undefined, 'told'],
      ['told', 'told again'],
      ['told again', undefined],
    ],
  );
  assert.deepEqual(events[1]?.changed, ['label']);
});

test('a text that no database can hold is refused', async () => {
  for (const answer of [
    await run([about('first_name', '==', 'a\0b')]),
    await keep({ label: 'a\0b' }),
    await keep({ condition_rules_attributes: [about('first_name', '==', 'a\0b')] }),
    await call('GET', '/api/advanced_search?id=a%00b'),
  ]) {
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
  }
});
