// The context for tests of the query language: one tenant with a few dynamic fields, at a fixed
// time; and the plans of requests, all steps at once.

import { staticMapping, withFields } from '../../src/query/mapping/document-types.ts';
import type { Field, Mapping } from '../../src/query/mapping/mapping.ts';
import { NearestNames } from '../../src/query/mapping/nearest-name.ts';
import { planAggregateSteps } from '../../src/query/requests/aggregate-request.ts';
import {
  DEFAULT_LIMITS,
  type PlanContext,
  planCountSteps,
  planSearchSteps,
} from '../../src/query/requests/search-request.ts';
import { runSteps } from '../../src/query/steps.ts';

const FIELDS: readonly Field[] = [
  { path: 'attributes.city', type: 'text', nested: null, dynamic: true },
  { path: 'attributes.endDate', type: 'text', nested: null, dynamic: true },
  { path: 'attributes.level', type: 'long', nested: null, dynamic: true },
  { path: 'attributes.ratio', type: 'double', nested: null, dynamic: true },
  { path: 'attributes.active', type: 'boolean', nested: null, dynamic: true },
  {
    path: 'accounts.accountAttributes.city',
    type: 'text',
    nested: 'accounts',
    dynamic: true,
  },
];

/**
 * `more`: paths of additional dynamic text fields of identities. Only `name` is identifying, which
 * keeps plans short.
 */
export function testContext(more: readonly string[] = []): PlanContext {
  const added = more.map((path): Field => ({ path, type: 'text', nested: null, dynamic: true }));
  const tenant = { name: 'acme', pod: 'local' };
  const identities: Mapping = {
    ...withFields(staticMapping('identities', tenant), [...FIELDS, ...added]),
    identifying: [{ path: 'name', boost: 4 }],
  };
  return {
    mapping: (index) => (index === 'identities' ? identities : staticMapping(index, tenant)),
    now: Date.parse('2024-05-15T12:34:56.789Z'),
    limits: DEFAULT_LIMITS,
    nearestNames: new NearestNames(),
  };
}

export function planSearch(...request: Parameters<typeof planSearchSteps>) {
  return runSteps(planSearchSteps(...request));
}

export function planCount(...request: Parameters<typeof planCountSteps>) {
  return runSteps(planCountSteps(...request));
}

export function planAggregate(...request: Parameters<typeof planAggregateSteps>) {
  return runSteps(planAggregateSteps(...request));
}
