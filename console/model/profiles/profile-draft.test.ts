import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProfileAttribute } from './attributes.ts';
import {
  changesBody,
  conflicts,
  draftFaults,
  draftOf,
  type FieldValue,
  fieldChanges,
  type ProfileDraft,
} from './profile-draft.ts';

const attribute = (uid: string, type: string, ...validations: string[]): ProfileAttribute => ({
  ...{ id: `id-${uid}`, uid, label: uid.toUpperCase(), type: `${type}Attribute` },
  validations: validations.map((validation_method) => ({ validation_method, value: null })),
});
const ATTRIBUTES: readonly ProfileAttribute[] = [
  attribute('mail', 'TextField', 'email_format', 'required'),
  attribute('hours', 'TextField', 'numericality'),
  attribute('end', 'Date'),
  { ...attribute('iso', 'Date'), date_format: 'yyyy-mm-dd' },
  attribute('skills', 'Tags'),
  attribute('sponsor', 'OwnerSelect'),
];
const STORED = {
  ...{ name: 'Ada', status: 'Active', updated_at: '2026-01-01T00:00:00.000Z' },
  attributes: {
    ...{ mail: 'ada@acme.test', end: '02/28/2026', iso: '2026-03-01' },
    ...{ skills: 'Graz, Styria, Welding', sponsor: 'Mira (m@acme.test)' },
  },
  references: {
    skills: [
      { type: 'option', id: 'o1', text: 'Graz, Styria' },
      { type: 'option', id: 'o2', text: 'Welding' },
    ],
    sponsor: [{ type: 'user', id: 'u1', text: 'Mira (m@acme.test)' }],
  },
} as const;
const BASE = draftOf(STORED, ATTRIBUTES);
const withValues = (values: Record<string, FieldValue>, draft: ProfileDraft = BASE) => ({
  ...draft,
  values: { ...draft.values, ...values },
});

test('sends nothing for a profile that was not changed', () => {
  assert.deepEqual(changesBody(BASE, draftOf(STORED, ATTRIBUTES), ATTRIBUTES), {});
  const reordered = withValues({ skills: [...(BASE.values['skills'] as [])].reverse() });
  assert.deepEqual(fieldChanges(BASE, reordered, ATTRIBUTES), []);
});

test('sends changed fields alone, in the forms of the service', () => {
  const draft = withValues({
    ...{ end: '2026-04-05', iso: '', hours: '40' },
    skills: [{ value: 'o1', label: 'Graz, Styria' }],
    sponsor: [{ value: 'u2', label: 'Tom (t@acme.test)' }],
  });
  assert.deepEqual(changesBody(BASE, { ...draft, status: 'On Leave' }, ATTRIBUTES), {
    status: 'On Leave',
    attributes: {
      ...{ hours: '40', end: '04/05/2026', iso: '' },
      ...{ skills: ['Graz, Styria'], sponsor: ['u2'] },
    },
  });
  assert.deepEqual(
    fieldChanges(BASE, draft, ATTRIBUTES).map(({ label, before, after }) => [label, before, after]),
    [
      ['HOURS', '', '40'],
      ['END', '2026-02-28', '2026-04-05'],
      ['ISO', '2026-03-01', ''],
      ['SKILLS', 'Graz, Styria, Welding', 'Graz, Styria'],
      ['SPONSOR', 'Mira (m@acme.test)', 'Tom (t@acme.test)'],
    ],
  );
});

test('reports missing and malformed values beside their fields', () => {
  const required = ({ uid }: ProfileAttribute) => uid === 'mail';
  const faults = (values: Record<string, FieldValue>) =>
    draftFaults(withValues(values), ATTRIBUTES, required);
  assert.deepEqual(faults({}), {});
  assert.deepEqual(faults({ mail: ' ' }), { mail: ['Enter a value'] });
  assert.deepEqual(faults({ mail: 'ada', hours: 'many', end: '2026-02-30' }), {
    mail: ['Enter an email address'],
    hours: ['Enter a number'],
    end: ['Enter a date'],
  });
  const two = [
    { value: 'u1', label: 'Mira' },
    { value: 'u2', label: 'Tom' },
  ];
  assert.deepEqual(faults({ sponsor: two, skills: two }), { sponsor: ['Select only one'] });
});

test('finds a conflict only in a field that both have changed', () => {
  const own = withValues({ end: '2026-05-01' });
  const other = withValues({ hours: '10' });
  assert.deepEqual(conflicts(BASE, other, own, ATTRIBUTES), []);
  const same = withValues({ end: '2026-06-01' });
  assert.deepEqual(
    conflicts(BASE, same, own, ATTRIBUTES).map(({ label, after }) => [label, after]),
    [['END', '2026-06-01']],
  );
});

test('starts a new profile empty and active', () => {
  const draft = draftOf(null, ATTRIBUTES);
  assert.equal(draft.status, 'Active');
  const filled = withValues({ mail: 'x@acme.test' }, draft);
  assert.deepEqual(changesBody(draft, filled, ATTRIBUTES), { attributes: { mail: 'x@acme.test' } });
});
