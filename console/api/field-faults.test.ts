import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiFault } from './fault.ts';
import { faultsByField } from './field-faults.ts';

const FIELDS = ['name', 'schedule.hours', 'schedule.days', 'recipients'];
const of = (...messages: string[]) => {
  const [message = '', ...causes] = messages;
  const { byField, rest } = faultsByField(new ApiFault('refused', message, causes), FIELDS);
  return { byField, rest: rest === null ? null : [rest.message, ...rest.causes] };
};

test('puts each message next to the field that it names', () => {
  assert.deepEqual(of('name: at most 255 characters', 'recipients[0].id: the id is needed'), {
    byField: { name: 'at most 255 characters', recipients: 'the id is needed' },
    rest: null,
  });
  assert.deepEqual(of('schedule.hours.values[0]: "24" is not an hour').byField, {
    'schedule.hours': '"24" is not an hour',
  });
});

test('keeps what concerns no field of the form', () => {
  const messages = [
    'nameless: x',
    'Query string, offset 3: expected a word',
    'sort[0]: no such field',
  ];
  assert.deepEqual(of(...messages), { byField: {}, rest: messages });
  assert.deepEqual(faultsByField(null, FIELDS), { byField: {}, rest: null });
});
