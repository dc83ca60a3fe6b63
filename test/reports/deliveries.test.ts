// suite: slow
// Results of runs by e-mail, through a real SMTP server, and by signed webhook calls.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { addUser } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type RunningService, startService } from '../support/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const SECRET = 'a secret of the test';
const PEOPLE = [
  { _type: 'identity', id: 'ada', name: 'ada', displayName: 'Ada', email: 'ada@people.test' },
  { _type: 'identity', id: 'bob', name: 'bob', displayName: 'Bøb', email: 'bob@people.test' },
  { _type: 'identity', id: 'mute', name: 'mute', displayName: 'Mute' },
  { _type: 'identity', id: 'odd', name: 'odd', email: 'a@b.test, all@b.test' },
];

let mail: MailServer;
let hook: WebhookReceiver;
let service: RunningService;
before(async () => {
  mail = await startMailServer();
  hook = await startWebhookReceiver();
  service = await startService({
    ...{ CARDEA_SMTP_URL: mail.url, CARDEA_SMTP_FROM: 'Cardea <cardea@reports.test>' },
    ...{ CARDEA_WEBHOOK_URL: hook.url, CARDEA_WEBHOOK_SECRET: SECRET },
    CARDEA_ALLOW_PRIVATE_URLS: 'on',
  });
  await service.addDocuments(PEOPLE);
});
after(async () => {
  await service?.stop();
  await mail.close();
  await hook.close();
});
beforeEach(() => {
  (mail.mails as unknown[]).length = 0;
  (hook.posts as unknown[]).length = 0;
});

// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
type Json = any;

async function json(method: string, path: string, body?: object): Promise<Json> {
  const answer = await service.call(method, `/v2024${path}`, body);
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return text === '' ? null : JSON.parse(text);
}

const SEARCH = {
  ...{ name: 'Pêople  of\ntest', indices: ['identities'], query: 'displayName:*', sort: ['id'] },
  columns: { identity: [{ field: 'displayName', header: 'Name' }] },
};
/** Never due while the test runs. */
const LATER = {
  ...{ type: 'CALENDAR', days: { type: 'LIST', values: ['2037-01-01'] } },
  hours: { type: 'LIST', values: ['9'] },
};
const identity = (id: string) => ({ type: 'IDENTITY', id });

/** Runs a schedule of a new search now. @returns its id, and its deliveries once all have ended */
async function deliver(
  changed: object,
  search: object = {},
): Promise<{ id: string; deliveries: Json[]; schedule: Json }> {
  const { id } = await json('POST', '/saved-searches', { ...SEARCH, ...search });
  const schedule = await json('POST', '/scheduled-searches', {
    ...{ savedSearchId: id, schedule: LATER, enabled: true },
    ...{ recipients: [identity('ada')], name: 'Morning', ...changed },
  });
  await json('POST', `/saved-searches/${id}/execute`, { scheduleId: schedule.id });
  return { id, schedule, deliveries: await ended(id) };
}

async function ended(id: string): Promise<Json[]> {
  let deliveries: Json[] = [];
  await eventually(async () => {
    deliveries = await json('GET', `/saved-searches/${id}/deliveries`);
    assert.ok(deliveries.length > 0);
    for (const { state, attempts } of deliveries) {
      assert.ok(!['WAITING', 'SENDING'].includes(state), `${state} after ${attempts}`);
    }
  });
  return deliveries;
}

const statesOf = (deliveries: Json[]) =>
  deliveries.map(({ channel, recipient, state }) => `${channel} ${recipient?.id} ${state}`).sort();

test('each recipient gets one e-mail with the counts, but no data of documents', async () => {
  const { id, deliveries } = await deliver({ recipients: [identity('ada'), identity('bob')] });
  assert.deepEqual(statesOf(deliveries), [
    ...['EMAIL ada DELIVERED', 'EMAIL bob DELIVERED', 'WEBHOOK undefined DELIVERED'],
  ]);
  assert.deepEqual(mail.mails.flatMap(({ to }) => to).sort(), [
    'ada@people.test',
    'bob@people.test',
  ]);
  const [first] = mail.mails;
  assert.ok(first);
  assert.equal(first.from, 'cardea@reports.test');
  assert.equal(first.headers.get('from'), 'Cardea <cardea@reports.test>');
  assert.match(first.headers.get('subject') ?? '', /^=\?UTF-8\?Q\?.*P=C3=AAople/);
  assert.equal(first.headers.get('auto-submitted'), 'auto-generated');
  const delivery = deliveries.find(({ address }) => address === first.to[0]);
  assert.equal(first.headers.get('message-id'), `<${delivery.id}@reports.test>`);
  assert.match(first.text, /has found 3 results/);
  assert.match(first.text, /^The saved search "Pêople of test" of test\.admin/);
  const [run] = await json('GET', `/saved-searches/${id}/runs`);
  const link = `${service.url}/v2024/saved-searches/${id}/runs/${run.id}/results.csv?type=identity`;
  assert.ok(first.text.includes(`identities: 3\n  ${link}`.replaceAll('\n', '\r\n')), first.text);
  assert.match(first.text, /scheduled search "Morning"/);
  assert.doesNotMatch(first.text, /Bøb|displayName/);
});

test('query details are the query, the first rows and the CSV', async () => {
  await deliver({ displayQueryDetails: true });
  const [only] = mail.mails;
  assert.ok(only);
  assert.match(only.text, /Query: displayName:\*/);
  assert.match(only.text, /\r\n {2}Name\r\n {2}Ada\r\n {2}Bøb\r\n/);
  assert.match(only.text, /filename=People-of-test\.csv/);
  const [, encoded = ''] = /base64[\s\S]*?\r\n\r\n([\w+/=\r\n]+)/.exec(only.text) ?? [];
  assert.equal(Buffer.from(encoded, 'base64').toString(), 'Name\r\nAda\r\nBøb\r\nMute\r\n');
});

test('a recipient whom a view restricts gets no e-mail, which would show what the owner sees', async () => {
  const { userId } = await addUser(service, { capabilities: ['HELPDESK'] });
  const person = { _type: 'identity', id: userId, name: 'eve', email: 'eve@people.test' };
  await service.addDocuments([person]);
  const view = { name: 'nothing', indices: {} };
  assert.equal((await service.call('POST', '/admin/v1/views', view)).status, 201);
  for (const [assigned, state] of [
    ['nothing', 'SKIPPED'],
    [null, 'DELIVERED'],
  ] as const) {
    const path = `/admin/v1/auth-users/${userId}`;
    assert.equal((await service.call('PATCH', path, { view: assigned })).status, 200);
    const { deliveries } = await deliver({ recipients: [identity(userId)] });
    const [email] = deliveries.filter(({ channel }) => channel === 'EMAIL');
    assert.equal(email.state, state);
    assert.equal(/A view restricts the recipient/.test(email.reason ?? ''), assigned !== null);
    assert.equal(mail.mails.length, assigned === null ? 1 : 0);
  }
});

const LOST: readonly (readonly [what: string, method: string, body: object | undefined])[] = [
  ['disabled', 'PATCH', { enabled: false }],
  ['deleted', 'DELETE', undefined],
];
for (const [what, method, body] of LOST) {
  test(`a waiting e-mail is not sent to a recipient who was ${what} meanwhile`, async () => {
    const { userId } = await addUser(service, { capabilities: ['HELPDESK'] });
    await service.addDocuments([
      { _type: 'identity', id: userId, name: userId, email: 'gone@people.test' },
    ]);
    mail.refuse('421 try later');
    const { id } = await json('POST', '/saved-searches', SEARCH);
    const schedule = await json('POST', '/scheduled-searches', {
      ...{ savedSearchId: id, schedule: LATER, enabled: true, recipients: [identity(userId)] },
    });
    await json('POST', `/saved-searches/${id}/execute`, { scheduleId: schedule.id });
    await eventually(async () => {
      const [delivery] = (await json('GET', `/saved-searches/${id}/deliveries`)).filter(
        ({ channel }: Json) => channel === 'EMAIL',
      );
      assert.match(String(delivery?.reason), /try later/);
    });
    const answer = await service.call(method, `/admin/v1/auth-users/${userId}`, body);
    assert.ok(answer.ok, await answer.text());
    const [email] = (await ended(id)).filter(({ channel }) => channel === 'EMAIL');
    assert.deepEqual([email.state, mail.mails.length], ['SKIPPED', 0]);
    assert.match(email.reason, new RegExp(`The recipient (is|was) ${what}`));
  });
}

test('empty results are mailed only if the schedule says so', async () => {
  const empty = { query: 'name:missing' };
  const without = await deliver({}, empty);
  assert.deepEqual(statesOf(without.deliveries), ['WEBHOOK undefined DELIVERED']);
  const mailed = await deliver({ emailEmptyResults: true }, empty);
  assert.deepEqual(statesOf(mailed.deliveries), [
    ...['EMAIL ada DELIVERED', 'WEBHOOK undefined DELIVERED'],
  ]);
  assert.match(mail.mails[0]?.text ?? '', /has found 0 results/);
});

test('a schedule that is disabled or has expired sends no e-mail', async () => {
  const disabled = await deliver({ enabled: false });
  assert.deepEqual(statesOf(disabled.deliveries), ['WEBHOOK undefined DELIVERED']);
  const schedule = { ...LATER, expiration: '2020-01-01T00:00:00Z' };
  const expired = await deliver({ schedule });
  assert.deepEqual(statesOf(expired.deliveries), ['WEBHOOK undefined DELIVERED']);
  assert.equal(mail.mails.length, 0);
});

test('a recipient without an address is skipped; an auth user has one of their own', async () => {
  const user = await addUser(service, {});
  const user2 = 'userwithmail0000000000000000000x';
  await service.cardea.documents.importAuthUsers(
    operatorOf(service.tenantId),
    (async function* () {
      const record = { id: user2, uid: 'u2', displayName: 'u2', email: 'u2@people.test' };
      yield { line: 1, text: JSON.stringify({ ...record, capabilities: [] }) };
    })(),
  );
  const recipients = ['mute', 'odd', 'missing', user.userId, user2].map(identity);
  const { deliveries } = await deliver({ recipients });
  assert.deepEqual(statesOf(deliveries), [
    ...['EMAIL missing SKIPPED', 'EMAIL mute SKIPPED', 'EMAIL odd SKIPPED'],
    ...[`EMAIL ${user.userId} SKIPPED`, `EMAIL ${user2} DELIVERED`],
    'WEBHOOK undefined DELIVERED',
  ]);
  const skipped = deliveries.find(({ recipient }) => recipient?.id === 'mute');
  assert.match(skipped.reason, /no e-mail address/);
  assert.deepEqual(
    mail.mails.map(({ to }) => to),
    [['u2@people.test']],
  );
});

test('a webhook call is signed over its time and body, and hides what the mail hides', async () => {
  const { id, schedule } = await deliver({});
  const [post] = hook.posts;
  assert.ok(post);
  const timestamp = String(post.headers['cardea-timestamp']);
  const hmac = createHmac('sha256', SECRET).update(`${timestamp}.${post.body}`).digest('hex');
  assert.equal(post.headers['cardea-signature'], `v1=${hmac}`);
  assert.ok(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300);
  const body = JSON.parse(post.body);
  assert.equal(body.id, post.headers['cardea-delivery']);
  const [run] = await json('GET', `/saved-searches/${id}/runs`);
  assert.deepEqual(body, {
    ...{ id: body.id, type: 'saved-search.completed', state: 'COMPLETED', reason: null },
    tenant: { id: service.tenantId, name: 'test' },
    ...{ savedSearchId: id, scheduledSearchId: schedule.id, runId: run.id },
    ...{ due: null, ended: run.ended, fileName: 'People-of-test.csv' },
    ...{ ownerEmail: '', ownerName: 'test.admin', searchName: 'Pêople  of\ntest' },
    searchResults: { Identity: { count: 3, noun: 'identities' } },
    resultsUrl: `${service.url}/v2024/saved-searches/${id}/runs/${run.id}/results.csv`,
  });
  await deliver({ displayQueryDetails: true });
  const shown = JSON.parse(hook.posts[1]?.body ?? '');
  assert.equal(shown.query, 'displayName:*');
  assert.deepEqual(shown.searchResults.Identity.preview, [['Name'], ['Ada'], ['Bøb'], ['Mute']]);
});

test('failures that pass are tried again with the same id, and failures for good are not', async () => {
  mail.refuse('550 no such mailbox');
  hook.answer(400);
  const { deliveries, id } = await deliver({});
  assert.deepEqual(statesOf(deliveries), ['EMAIL ada FAILED', 'WEBHOOK undefined FAILED']);
  const reasons = deliveries.map(({ reason }) => reason).join();
  assert.match(reasons, /no such mailbox/);
  assert.match(reasons, /answered 400/);
  assert.doesNotMatch(JSON.stringify(deliveries), /secret/);
  const { address } = deliveries.find(({ channel }) => channel === 'WEBHOOK');
  assert.equal(address, new URL(hook.url).origin);
  assert.equal(mail.mails.length, 0);
  mail.refuse('451 try later');
  hook.answer(503);
  const owner = identity(service.adminId);
  const body = { owner, recipients: [identity('bob')] };
  await json('POST', `/saved-searches/${id}/execute`, body);
  await eventually(async () => {
    const all: Json[] = await json('GET', `/saved-searches/${id}/deliveries`);
    const waiting = all.filter(({ state }) => state === 'WAITING');
    assert.deepEqual(
      waiting.map(({ attempts }) => attempts),
      [1, 1],
    );
    for (const { nextAttempt } of waiting) assert.ok(Date.parse(nextAttempt) > Date.now());
  });
  const after: Json[] = await ended(id);
  const again = after.filter(({ attempts }) => attempts === 2);
  assert.deepEqual(statesOf(again), ['EMAIL bob DELIVERED', 'WEBHOOK undefined DELIVERED']);
  const ids = hook.posts.slice(1).map(({ headers }) => headers['cardea-delivery']);
  assert.equal(new Set(ids).size, 1);
  assert.equal(mail.mails.length, 1);
});

test('a run whose owner may not search any more is posted to the webhook only', async () => {
  const user = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
  const answer = await user.call('POST', '/v2024/saved-searches', SEARCH);
  const { id } = (await answer.json()) as Json;
  const planned = await user.call('POST', '/v2024/scheduled-searches', {
    ...{ savedSearchId: id, schedule: LATER, recipients: [identity('ada')] },
  });
  const { id: scheduleId } = (await planned.json()) as Json;
  await service.call('PATCH', `/admin/v1/auth-users/${user.userId}`, { enabled: false });
  await json('POST', `/saved-searches/${id}/execute`, { scheduleId });
  assert.deepEqual(statesOf(await ended(id)), ['WEBHOOK undefined DELIVERED']);
  const { type, state, reason, resultsUrl } = JSON.parse(hook.posts[0]?.body ?? '');
  assert.deepEqual([type, state, resultsUrl], ['saved-search.failed', 'REFUSED', null]);
  assert.match(reason, /disabled/);
  assert.equal(mail.mails.length, 0);
});
