// What stays in an anonymised document is listed: fields of the mapping are reviewed, and everything
// else is replaced.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { INDEX_NAMES, staticMapping } from '../../query/mapping/document-types.ts';
import { Anonymiser } from './anonymiser.ts';
import { fieldKind, listedFields } from './field-kinds.ts';

const key = Buffer.alloc(32, 3);
const make = (keep: readonly string[] = []) => new Anonymiser({ key, shiftDays: -7, keep });

/**
 * Fields of text that are replaced, as reviewed: names, ids, values. A new field of the mapping must
 * be added here or to the tables of field-kinds.ts.
 */
const REPLACED =
  /(?:^|\.)(?:id|name|displayName|firstName|lastName|email|phone|employeeNumber|tags|visibleSegments|accountId|accountUuid|value|hash|target|commenter|sources|trackingNumber|details|ipAddress|ticketId)$/;

describe('the tables of fields', () => {
  for (const index of INDEX_NAMES) {
    test(`decide every field of ${index}`, () => {
      const { fields, dynamicRoots } = staticMapping(index, { name: '', pod: '' });
      for (const { path } of fields.values()) {
        const decided = fieldKind(index, path) !== 'value' || REPLACED.test(path);
        assert.ok(decided, `${path} is in no table`);
      }
      for (const path of listedFields(index).keys()) {
        const exists = fields.has(path) || dynamicRoots.some((root) => path.startsWith(`${root}.`));
        assert.ok(exists, `${path} is no field`);
      }
    });
  }
});

test('unknown members are replaced, whatever their type', () => {
  const document = {
    id: 'id-of-ada',
    name: 'ada.byron',
    inactive: false,
    accountCount: 17,
    status: 'ACTIVE',
    created: '2025-06-30T10:00:00Z',
    invented: 'Ada Byron',
    attributes: {
      nickname: 'Ada',
      salary: 52_000,
      rate: 37.5,
      remote: true,
      born: '1990-12-10',
      none: null,
    },
    accounts: [{ id: 'x', unknown: [['Byron']], accountAttributes: { deep: { deeper: 'Ada' } } }],
  };
  const replaced = make().document('identities', document) as typeof document;
  assert.deepEqual(Object.keys(replaced), Object.keys(document));
  assert.deepEqual(
    [replaced.inactive, replaced.accountCount, replaced.status, replaced.created],
    [false, 17, 'ACTIVE', '2025-06-23T10:00:00Z'],
  );
  assert.doesNotMatch(JSON.stringify(replaced), /ada|byron/i);
  const { salary, rate, remote, born, none } = replaced.attributes;
  assert.match(
    `${salary} ${rate} ${remote} ${born} ${none}`,
    /^\d{5} \d\d\.\d true 1990-12-03 null$/,
  );
  assert.notEqual(salary, 52_000);
});

test('kept fields stay in all indexes, or in one', () => {
  const attributes = { department: 'Sales', city: 'Oslo' };
  const everywhere = make(['attributes.department']);
  for (const index of ['identities', 'entitlements'] as const) {
    const replaced = everywhere.document(index, { attributes }) as {
      attributes: typeof attributes;
    };
    assert.equal(replaced.attributes.department, 'Sales');
    assert.notEqual(replaced.attributes.city, 'Oslo');
  }
  const one = make(['identities.attributes.city']);
  assert.match(JSON.stringify(one.document('identities', { attributes })), /Oslo/);
  assert.doesNotMatch(JSON.stringify(one.document('entitlements', { attributes })), /Oslo/);
});

test('the service stays an actor', () => {
  const event = {
    id: 'e',
    name: 'Create Account Passed',
    actor: { name: 'System' },
    target: { name: 'ada' },
  };
  const replaced = make().document('events', event) as typeof event;
  assert.deepEqual([replaced.name, replaced.actor.name], [event.name, 'System']);
  assert.notEqual(replaced.target.name, 'ada');
});

test('an auth user keeps the levels, and the names of its identity', () => {
  const anonymiser = make();
  const identity = anonymiser.document('identities', { id: 'a'.repeat(16), name: 'ada.byron' });
  const user = anonymiser.authUser({
    ...{
      id: 'a'.repeat(16),
      uid: 'ada.byron',
      phone: null,
      capabilities: ['HELPDESK', 'das:ui-auditor'],
    },
    ...{ lastLoginTimestamp: 1_764_000_000_000, currentLoginTimestamp: 0 },
  });
  assert.equal(user['uid'], identity['name']);
  assert.equal(user['id'], identity['id']);
  assert.deepEqual(user['capabilities'], ['HELPDESK', 'das:ui-auditor']);
  assert.deepEqual([user['phone'], user['currentLoginTimestamp']], [null, 0]);
  assert.equal(user['lastLoginTimestamp'], 1_764_000_000_000 - 7 * 86_400_000);
});

test('dates move by whole weeks that follow from the key, unless they are given', () => {
  const shifts = Array.from({ length: 40 }, (_, byte) => {
    return new Anonymiser({ key: Buffer.alloc(32, byte), shiftDays: null, keep: [] }).shiftDays;
  });
  for (const shift of shifts) assert.ok(shift <= -28 && shift >= -364 && shift % 7 === 0);
  assert.ok(new Set(shifts).size > 10);
  assert.equal(make().shiftDays, -7);
});
