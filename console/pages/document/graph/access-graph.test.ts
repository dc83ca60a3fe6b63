import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessPath } from '../../../model/wire.ts';
import { type AccessGraph, identityGraph } from './access-graph.ts';
import { filteredGraph } from './folded-graph.ts';
import { grantGraph } from './grant-graph.ts';
import { keysOnPaths } from './graph-paths.ts';

const PAYROLL = { id: 's', name: 'Payroll' };
const role = { id: 'r', name: 'Clerk', type: 'ROLE' } as const;
const profile = { id: 'p', name: 'Preparation', type: 'ACCESS_PROFILE' } as const;
const entitlement = (id: string, more: object = {}) => ({
  ...{ id, name: `Entitlement ${id}`, type: 'ENTITLEMENT', source: PAYROLL, ...more },
});
const names = (graph: AccessGraph) =>
  graph.edges
    .map(({ from, to }) => {
      const name = (key: string) => graph.nodes.find((node) => node.key === key)?.name;
      return `${name(from)} > ${name(to)}`;
    })
    .sort();
const paths = (entries: Record<string, readonly AccessPath[]>) => new Map(Object.entries(entries));

test('leads from a role over its access profile and entitlement to the source', () => {
  const access = [entitlement('e', { privileged: true }), { ...profile, source: PAYROLL }, role];
  const graph = identityGraph({ access }, paths({ e: [[role, profile]], p: [[role]] }));
  assert.deepEqual(names(graph), [
    'Clerk > Preparation',
    'Entitlement e > Payroll',
    'Preparation > Entitlement e',
  ]);
  assert.deepEqual(
    graph.nodes.filter(({ privileged }) => privileged).map(({ name }) => name),
    ['Entitlement e'],
  );
});

test('shows the access profile of a path that the access list lacks, on the source of its entitlement', () => {
  const graph = identityGraph({ access: [entitlement('e')] }, paths({ e: [[role, profile]] }));
  const node = graph.nodes.find(({ kind }) => kind === 'accessProfile');
  assert.equal(node?.name, 'Preparation');
  assert.equal(node?.source, 'source:s');
});

const ORIGINS: readonly [what: string, standalone: object, hasPath: boolean, expected: string[]][] =
  [
    ['without a path', {}, false, ['Granted directly']],
    ['recorded as standalone, also with a path', { standalone: true }, true, ['Granted directly']],
    ['with a path', { standalone: false }, true, []],
    ['granted by what is not known', { standalone: false }, false, ['Unknown role or profile']],
  ];
for (const [what, standalone, hasPath, expected] of ORIGINS) {
  test(`says how access is held that is ${what}`, () => {
    const access = [entitlement('e', standalone)];
    const graph = identityGraph({ access }, paths(hasPath ? { e: [[role]] } : {}));
    assert.deepEqual(
      graph.nodes.filter(({ kind }) => kind === 'origin').map(({ name }) => name),
      expected,
    );
  });
}

test('has an access profile without entitlements lead to its source', () => {
  const graph = identityGraph({ access: [{ ...profile, source: PAYROLL }] }, paths({}));
  assert.deepEqual(names(graph), ['Granted directly > Preparation', 'Preparation > Payroll']);
});

test('leaves out elements without an id or of another type', () => {
  const access = [
    { type: 'ROLE', name: 'x' },
    { id: 'x', type: 'OTHER' },
  ];
  assert.deepEqual(identityGraph({ access }, paths({})).nodes, []);
});

const profileDocument = {
  ...{ id: 'p', name: 'Preparation', source: PAYROLL },
  entitlements: [
    { id: 'e', name: 'Entitlement e', privileged: true },
    { id: 'f', name: 'Other' },
  ],
};
const roleDocument = {
  ...{ id: 'r', name: 'Clerk', accessProfiles: [{ id: 'p' }], entitlements: [] },
  dimensions: [{ entitlements: [{ id: 'g', name: 'Of a dimension' }] }],
};

test('shows what a role grants, that of its dimensions included', () => {
  const entitlements = [{ id: 'g', name: 'Of a dimension', source: { id: 't', name: 'Travel' } }];
  const documents = { roles: [roleDocument], accessProfiles: [profileDocument], entitlements };
  const graph = grantGraph('role', roleDocument, documents);
  assert.equal(graph.subject, 'role:r');
  assert.deepEqual(names(graph), [
    'Clerk > Of a dimension',
    'Clerk > Preparation',
    'Entitlement e > Payroll',
    'Of a dimension > Travel',
    'Other > Payroll',
    'Preparation > Entitlement e',
    'Preparation > Other',
  ]);
});

test('shows of what contains an entitlement only the paths to it', () => {
  const subject = { id: 'e', name: 'Entitlement e', source: PAYROLL, privileged: true };
  const documents = {
    roles: [{ ...roleDocument, accessProfiles: [{ id: 'p' }, { id: 'q' }] }],
    ...{ accessProfiles: [profileDocument], entitlements: [subject] },
  };
  assert.deepEqual(names(grantGraph('entitlement', subject, documents)), [
    'Clerk > Preparation',
    'Entitlement e > Payroll',
    'Preparation > Entitlement e',
  ]);
});

test('highlights what grants a node and what it grants, not what else these grant', () => {
  const documents = { roles: [roleDocument], accessProfiles: [profileDocument], entitlements: [] };
  const graph = grantGraph('role', roleDocument, documents);
  assert.deepEqual([...keysOnPaths(graph.edges, 'entitlement:e')].sort(), [
    'accessProfile:p',
    'entitlement:e',
    'role:r',
    'source:s',
  ]);
});

test('filters by words of a name and by privileged entitlements, with the paths', () => {
  const documents = { roles: [roleDocument], accessProfiles: [profileDocument], entitlements: [] };
  const graph = grantGraph('role', roleDocument, documents);
  const shown = (words: string, privilegedOnly: boolean) =>
    filteredGraph(graph, { words, privilegedOnly })
      .nodes.map(({ name }) => name)
      .sort();
  const onPath = ['Clerk', 'Entitlement e', 'Payroll', 'Preparation'];
  assert.deepEqual(shown('', true), onPath);
  assert.deepEqual(shown(' E  ENTITLEMENT', false), onPath);
  assert.deepEqual(shown('dimension', true), []);
});
