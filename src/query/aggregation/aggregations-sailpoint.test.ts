// Aggregations of the vendor's form, one per row, with what they read on the identities of a small
// tenant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planAggregate, testContext } from '../../../test/support/query-context.ts';
import { ServiceError } from '../../errors.ts';
import { formatAggregations } from '../explain/format-aggregation.ts';

const context = testContext();

function planned(aggregations: unknown): readonly string[] {
  const body = { indices: ['identities'], aggregationType: 'SAILPOINT', aggregations };
  const { plan } = planAggregate(body, {}, context);
  assert.deepEqual(JSON.parse(JSON.stringify(plan)), plan);
  return formatAggregations(plan.targets[0]?.aggregations ?? {}, '');
}

const TERMS = 'minDocCount: 1, order: [{by: "count", order: "desc"}]';

const MEANINGS: readonly (readonly [spec: object, lines: readonly string[]])[] = [
  [
    { bucket: { name: 'City', field: 'attributes.city' } },
    [`City = terms(source: attributes.city, size: 10, ${TERMS})`],
  ],
  [
    { bucket: { name: 'City', field: 'attributes.city', type: 'TERMS', size: 3, minDocCount: 0 } },
    [
      'City = terms(source: attributes.city, size: 3, minDocCount: 0, order: [{by: "count", order: "desc"}])',
    ],
  ],
  [
    { metric: { name: 'Cities', field: 'attributes.city' } },
    ['Cities = cardinality(source: attributes.city)'],
  ],
  [
    { metric: { name: 'Load', field: 'accessCount', type: 'MEDIAN' } },
    ['Load = percentiles(source: accessCount value long, percents: [50], keyed: true)'],
  ],
  [
    { filter: { name: 'Gone', field: 'inactive', value: true } },
    ['Gone = filter(query: inactive=1)'],
  ],
  [
    { filter: { name: 'Ada', field: 'name', type: 'TERM', value: 'Ada L' } },
    ['Ada = filter(query: name.folded:{"ada l"})'],
  ],
  // Without a name, or with a blank one, the field or the path is the name.
  [
    { bucket: { field: 'attributes.city' } },
    [`attributes.city = terms(source: attributes.city, size: 10, ${TERMS})`],
  ],
  [{ metric: { name: ' ', field: ' name ' } }, ['name = cardinality(source: name)']],
  [
    { filter: { name: null, field: 'inactive', value: true } },
    ['inactive = filter(query: inactive=1)'],
  ],
  [
    {
      nested: { type: 'access' },
      bucket: { field: 'type' },
      metric: { name: '', field: 'access.name' },
    },
    [
      'access = nested(path: "access")',
      `  type = terms(source: access.type, size: 10, ${TERMS})`,
      '    access.name = cardinality(source: access.name)',
    ],
  ],
  [
    { nested: { field: '@access' }, metric: { field: '_id' } },
    ['access = nested(path: "access")', '  "_id" = cardinality(source: _id)'],
  ],
  [
    { bucket: { field: '@access.type' } },
    [
      'access = nested(path: "access")',
      `  access.type = terms(source: access.type, size: 10, ${TERMS})`,
    ],
  ],
  // From the outside in: nested, filter, bucket, metric.
  [
    {
      metric: { name: 'Names', field: 'name' },
      bucket: { name: 'Source', field: 'source.name' },
      filter: { name: 'Roles', field: 'access.type', value: 'role' },
      nested: { name: 'Access', type: 'access' },
    },
    [
      'Access = nested(path: "access")',
      '  Roles = filter(query: access.type.folded:{role})',
      `    Source = terms(source: access.source.name, size: 10, ${TERMS})`,
      '      Names = cardinality(source: access.name)',
    ],
  ],
  // Without a bucket, a sub-aggregation is inside the innermost part.
  [
    {
      nested: { name: 'Access', type: 'access' },
      subAggregation: { metric: { name: 'Names', field: 'name' } },
    },
    ['Access = nested(path: "access")', '  Names = cardinality(source: access.name)'],
  ],
  [
    {
      filter: { name: 'Gone', field: 'inactive', value: 'true' },
      subAggregation: { bucket: { name: 'City', field: 'attributes.city' } },
    },
    [
      'Gone = filter(query: inactive=1)',
      `  City = terms(source: attributes.city, size: 10, ${TERMS})`,
    ],
  ],
  [
    { subAggregation: { metric: { name: 'Cities', field: 'attributes.city' } } },
    ['Cities = cardinality(source: attributes.city)'],
  ],
  [
    {
      bucket: { name: 'City', field: 'attributes.city' },
      metric: { name: 'People', field: 'id', type: 'COUNT' },
      subAggregation: { bucket: { name: 'Level', field: 'attributes.level' } },
    },
    [
      `City = terms(source: attributes.city, size: 10, ${TERMS})`,
      '  People = valueCount(source: id)',
      `  Level = terms(source: attributes.level value long, size: 10, ${TERMS})`,
    ],
  ],
  // An @ outside of nested is a level that parts of the same path share.
  [
    {
      metric: { name: 'Names', field: '@access.name' },
      subAggregation: { metric: { name: 'Types', field: '@access.type' } },
    },
    [
      'access = nested(path: "access")',
      '  Names = cardinality(source: access.name)',
      '  Types = cardinality(source: access.type)',
    ],
  ],
  [
    {
      bucket: { name: 'Type', field: '@access.type' },
      metric: { name: 'Ids', field: '_id' },
    },
    [
      'access = nested(path: "access")',
      `  Type = terms(source: access.type, size: 10, ${TERMS})`,
      '    Ids = cardinality(source: _id)',
    ],
  ],
  [
    { nested: { name: 'Nothing', type: 'nope' }, metric: { name: 'Names', field: 'name' } },
    ['Nothing = nested(path: null)', '  Names = cardinality(source: -)'],
  ],
];

for (const [spec, lines] of MEANINGS) {
  test(`reads ${JSON.stringify(spec)}`, () => assert.deepEqual(planned(spec), lines));
}

const FAULTS: readonly (readonly [spec: object, cause: RegExp])[] = [
  [{ buckets: {} }, /^aggregations\.buckets: expected one of nested, filter, bucket/],
  [{ subAggregation: {} }, /^aggregations: expected a metric/],
  [{ bucket: { size: 3 } }, /^aggregations\.bucket\.field: is required/],
  [{ metric: {} }, /^aggregations\.metric\.field: is required/],
  [{ filter: { name: 'x', value: 'y' } }, /^aggregations\.filter\.field: is required/],
  [{ nested: { name: 'x' } }, /^aggregations\.nested\.type: expected the path/],
  [
    { metric: { field: 'name' }, subAggregation: { metric: { field: 'name', type: 'COUNT' } } },
    /^aggregations: two aggregations are named "name"/,
  ],
  [{ bucket: { name: 'a', field: '@' } }, /^aggregations\.bucket\.field: is required/],
  [{ bucket: { name: 'a', field: 'name', size: 0 } }, /bucket\.size: .*at least 1/],
  [{ bucket: { name: 'a', field: 'name', type: 'terms' } }, /bucket\.type: "terms"/],
  [{ filter: { name: 'a', field: 'name' } }, /filter\.value: is required/],
  [{ filter: { name: 'a', field: 'accessCount', value: 'x' } }, /filter\.value: "x"/],
  [{ metric: { name: 'a', field: 'name', type: 'AVG' } }, /metric\.field: name holds no numbers/],
  [{ nested: { name: 'a' } }, /nested\.type: expected the path/],
  [
    {
      metric: { name: 'a', field: 'name' },
      subAggregation: { metric: { name: 'a', field: 'id' } },
    },
    /^aggregations: two aggregations are named "a"/,
  ],
];

for (const [spec, cause] of FAULTS) {
  test(`rejects ${JSON.stringify(spec)}`, () => {
    assert.throws(
      () => planned(spec),
      (error) => error instanceof ServiceError && cause.test(error.details.causes?.[0] ?? ''),
    );
  });
}
