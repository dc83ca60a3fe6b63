import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testContext } from '../../../test/support/query-context.ts';
import { formatQuery } from '../format-query.ts';
import { planAggregateSteps } from '../requests/aggregate-request.ts';
import { planSearchSteps } from '../requests/search-request.ts';
import { warningSteps } from '../requests/unknown-names.ts';
import { runSteps } from '../steps.ts';
import { VisibleDocuments } from '../visibility/visible-documents.ts';

const context = testContext();
const EVENTS = { indices: ['events'] };
const text = (query: string) => ({ ...EVENTS, query: { query } });
const dsl = (queryDsl: object) => ({ ...EVENTS, queryType: 'DSL', queryDsl });
const filter = (terms: readonly string[]) => ({
  ...text('*'),
  filters: { action: { type: 'TERMS', terms } },
});

describe('a whole name of events matches those of the same act under its other name', () => {
  const cases: readonly (readonly [body: object, plan: string, former: readonly string[]])[] = [
    [
      text('action:PatchAuthUser'),
      '(action:patchauthuser | action:capability_update_event)',
      ['PatchAuthUser'],
    ],
    [
      text('action:CAPABILITY_UPDATE_EVENT'),
      '(action:capability_update_event | action:patchauthuser)',
      [],
    ],
    [
      text('NOT action:"CreateApiClient"'),
      '(-(action:createapiclient | action:api_client_created))',
      ['CreateApiClient'],
    ],
    [
      text('technicalName:saved_search_modify_passed'),
      '(technicalName:saved_search_modify_passed | technicalName:saved_search_update_passed)',
      ['SAVED_SEARCH_MODIFY_PASSED'],
    ],
    [
      text('technicalName:SUBSCRIPTION_CREATE_PASSED'),
      '(technicalName:subscription_create_passed | technicalName:scheduled_search_create_passed)',
      [],
    ],
    [
      text('action.exact:PatchAuthUser^2'),
      '(action.exact:PatchAuthUser^2 | action.exact:CAPABILITY_UPDATE_EVENT^2)',
      ['PatchAuthUser'],
    ],
    // One name that has become many: all of them, but none of them is the former one alone.
    [
      text('action:RequestToken'),
      '(action:requesttoken | action:personal_access_token_used | action:personal_access_token_use_failed | action:client_token_issue)',
      ['RequestToken'],
    ],
    [text('action:CLIENT_TOKEN_ISSUE'), 'action:client_token_issue', []],
    // What the public service means by a former name of ours.
    [text('technicalName:ROLE_CREATE_PASSED'), 'technicalName:role_create_passed', []],
    // No whole name, another member, another case where case counts.
    [text('action:PatchAuth*'), 'action:patchauth*', []],
    [text('name:PatchAuthUser'), 'name:patchauthuser', []],
    [text('action.exact:patchauthuser'), 'action.exact:patchauthuser', []],
    [
      filter(['PatchAuthUser', 'Provision']),
      '(+*:* #action.folded:{patchauthuser, provision, capability_update_event})',
      ['PatchAuthUser'],
    ],
    [
      dsl({ match: { action: 'PatchAuthUser' } }),
      '(action:patchauthuser | action:capability_update_event)',
      ['PatchAuthUser'],
    ],
    [
      dsl({ bool: { must_not: [{ term: { action: 'patchauthuser' } }] } }),
      '(-(action:patchauthuser | action:capability_update_event))',
      ['PatchAuthUser'],
    ],
  ];
  for (const [body, plan, former] of cases) {
    test(JSON.stringify(body), () => {
      const { planned, warnings, remarks } = runSteps(
        warningSteps(context, (inner) => planSearchSteps(body, {}, inner)),
      );
      const [target] = planned.targets;
      assert.ok(target);
      assert.equal(formatQuery(target.query), plan);
      assert.deepEqual(warnings, []);
      assert.deepEqual(
        remarks.map(({ text: message }) => /"(\w+)"/.exec(message)?.[1]),
        former,
      );
    });
  }
});

test('words without a field match the other name as well, in events alone', () => {
  const body = { indices: ['events', 'roles'], query: { query: 'PatchAuthUser' } };
  const { targets } = runSteps(planSearchSteps(body, {}, context));
  const [events, roles] = targets.map(({ query }) => formatQuery(query));
  assert.match(String(events), /_all:capability_update_event/);
  assert.doesNotMatch(String(roles), /capability_update_event/);
});

test('a filter of an aggregation matches the other name as well', () => {
  const aggregationsDsl = {
    a: {
      filter: { term: { action: 'PatchAuthUser' } },
      aggs: { n: { value_count: { field: 'id' } } },
    },
    b: { filters: { filters: { x: { term: { action: 'PatchAuthUser' } } } } },
  };
  const { plan } = runSteps(planAggregateSteps({ ...EVENTS, aggregationsDsl }, {}, context));
  assert.equal(JSON.stringify(plan).match(/"capability_update_event"/g)?.length, 2);
});

test('a view of events shows those under both names', () => {
  const visible = new VisibleDocuments(context.limits);
  const query = visible.of(['action:PatchAuthUser'], context.mapping('events'), 0);
  assert.match(formatQuery(query), /capability_update_event/);
});

test('the warning names the new one', () => {
  const { remarks } = runSteps(
    warningSteps(context, (inner) => planSearchSteps(text('action:PatchAuthUser'), {}, inner)),
  );
  assert.deepEqual(remarks, [
    {
      field: 'action',
      nearest: 'CAPABILITY_UPDATE_EVENT',
      text: 'The action "PatchAuthUser" is "CAPABILITY_UPDATE_EVENT" since events have the public names; both are found',
    },
  ]);
});
