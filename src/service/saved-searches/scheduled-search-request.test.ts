// The recipients of a scheduled search; the rest of its body is tested over HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Members } from '../../query/body.ts';
import { MAX_RECIPIENTS, readRecipients } from './scheduled-search-request.ts';

const recipients = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ type: 'IDENTITY', id: `i-${n}` }));

test('a scheduled search has at most as many recipients as are allowed, each once', () => {
  const most = recipients(MAX_RECIPIENTS);
  const ids = readRecipients(new Members({ recipients: most }, ''));
  assert.deepEqual(
    ids,
    most.map(({ id }) => id),
  );
  const twice = new Members({ recipients: [...recipients(2), ...recipients(1)] }, '');
  assert.deepEqual(readRecipients(twice), ['i-0', 'i-1']);
  const tooMany = new Members({ recipients: recipients(MAX_RECIPIENTS + 1) }, '');
  assert.throws(() => readRecipients(tooMany), { code: 'request_invalid' });
});
