import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attributesOfType,
  groupAttributes,
  mainAttributes,
  type ProfileAttribute,
  type ProfileType,
  takesSeveral,
  valueKindOf,
} from './attributes.ts';

const attribute = (
  uid: string,
  type: string,
  more: Partial<ProfileAttribute> = {},
): ProfileAttribute => ({
  ...{ id: `id-${uid}`, uid, type: `${type}Attribute`, label: uid.replaceAll('_', ' ') },
  ...more,
});
const ALL: readonly ProfileAttribute[] = [
  attribute('badge_expires', 'Date'),
  attribute('city', 'DropDown'),
  attribute('email', 'TextField'),
  attribute('end_date', 'Date', { profile_type_id: 'c' }),
  attribute('first_name', 'TextField'),
  attribute('last_name', 'TextField'),
  attribute('manager_mail', 'TextField', {
    validations: [{ validation_method: 'email_format', value: null }],
  }),
  attribute('organization', 'ProfileSelect', { profile_type_id: 'v' }),
  attribute('purpose', 'TextArea'),
  attribute('reviewers', 'ContributorSearch', { allow_multiple_selections: true }),
  attribute('sponsor', 'OwnerSelect'),
  attribute('start_date', 'Date'),
  attribute('vendor_name', 'TextField', { profile_type_id: 'v' }),
];
const CONTRACTOR: ProfileType = {
  ...{ id: 'c', uid: 'contractor', name: 'Contractor', category: 'non-employee' },
  profile_type_namings: [{ ne_attribute_id: 'id-last_name' }, { ne_attribute_id: 'id-first_name' }],
};
const uids = (attributes: readonly ProfileAttribute[]) => attributes.map(({ uid }) => uid);

test('orders attributes by meaning and not by the alphabet', () => {
  const groups = groupAttributes(CONTRACTOR, ALL.slice(0, -1));
  assert.deepEqual(
    groups.map(({ title, attributes }) => [title, ...uids(attributes)]),
    [
      ['Name', 'last_name', 'first_name'],
      ['Contact', 'email', 'manager_mail'],
      ['Responsible', 'sponsor', 'organization', 'reviewers'],
      ['Dates', 'start_date', 'end_date', 'badge_expires'],
      ['Details', 'city', 'purpose'],
    ],
  );
  assert.deepEqual(uids(mainAttributes(groups)), [
    ...['sponsor', 'organization', 'start_date', 'end_date'],
  ]);
});

test('takes the attributes of the name, of the type, and those in use', () => {
  assert.deepEqual(uids(attributesOfType(CONTRACTOR, ALL, new Set(['sponsor', 'city']))), [
    ...['city', 'end_date', 'first_name', 'last_name', 'sponsor'],
  ]);
  const vendor = { ...CONTRACTOR, id: 'v', profile_type_namings: [] };
  assert.deepEqual(uids(attributesOfType(vendor, ALL, new Set())), ['vendor_name']);
  assert.deepEqual(uids(attributesOfType(undefined, ALL, new Set(['email']))), ['email']);
});

test('tells the kinds of values and how many an attribute takes', () => {
  assert.equal(valueKindOf('ContributorSearchAttribute'), 'user');
  assert.equal(valueKindOf('ProfileSearchAttribute'), 'profile');
  assert.equal(valueKindOf('AttachmentAttribute'), 'none');
  assert.ok(takesSeveral(attribute('tags', 'Tags')));
  assert.ok(!takesSeveral(attribute('city', 'DropDown')));
});
