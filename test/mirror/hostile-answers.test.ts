// suite: slow
// A remote tenant whose answers are late, refused, no JSON, of another shape or too large: a run of
// the mirror ends within its time, with one sentence for each part, and nothing in it is raw. Time
// passes only while answers and repetitions are waited for.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { OutboundRequest } from '../../src/auth/outbound.ts';
import { runMirror, verifyMirror } from '../../src/compose/mirror.ts';
import { ServiceError } from '../../src/errors.ts';
import { IscTenant } from '../../src/jobs/mirror/remote/isc-tenant.ts';
import { NermTenant } from '../../src/jobs/mirror/remote/nerm-tenant.ts';
import { ServiceClient } from '../../src/remote/service-client.ts';
import { openTestMirror, type TestMirror } from '../support/mirror-world.ts';
import { VirtualTime } from '../support/virtual-time.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or bytes as they are. */
  readonly body?: unknown;
  /** Milliseconds until it is complete. */
  readonly after?: number;
}

interface Asked {
  readonly path: string;
  readonly body: { readonly indices?: string[]; readonly searchAfter?: string[]; sort?: string[] };
}

/** What a remote tenant answers instead; null: as documented. @param times asked before */
type Misbehaviour = (asked: Asked, times: number) => Answer | null;

const IDENTITIES = Array.from({ length: 9 }, (_, i) => ({
  ...{ _type: 'identity', id: `i${i}`, name: `user${i}` },
  ...{ created: '2024-01-01T00:00:00.000Z', modified: '2025-01-01T00:00:00.000Z' },
}));
const PAGE = 3;
/** What a terminal or a log would obey. */
const EVIL = '\u001b[2K\r\nmirror complete\u009b1A\u202e';
const SILENT: Answer = { after: Number.POSITIVE_INFINITY };
const NOT_RAW = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

let mirror: TestMirror;
let time: VirtualTime;
let requests: number;
beforeEach(async () => {
  mirror = await openTestMirror();
  [time, requests] = [new VirtualTime(), 0];
});
afterEach(() => mirror.close());

function soundAnswer({ path, body }: Asked): Answer {
  if (path === '/oauth/token') return { body: { access_token: 'e30.e30.x', expires_in: 749 } };
  if (path.startsWith('/v3/auth-users/')) {
    const id = path.slice('/v3/auth-users/'.length);
    return { body: { id, uid: id } };
  }
  if (path.startsWith('/api/')) return { body: [] };
  const rows = body.indices?.[0] === 'identities' ? IDENTITIES : [];
  if (path === '/v2024/search/count') {
    return { status: 204, headers: { 'x-total-count': String(rows.length) }, body: '' };
  }
  const [after = ''] = body.searchAfter ?? [];
  return { body: rows.filter(({ id }) => id > after).slice(0, PAGE) };
}

/** The world of a mirror whose remote tenant behaves so, over HTTP. */
function worldWith(misbehave: Misbehaviour) {
  const times = new Map<string, number>();
  const clientOf = (credentials: ConstructorParameters<typeof ServiceClient>[0]['credentials']) =>
    new ServiceClient(
      { baseUrl: 'https://acme.example', credentials },
      {
        sender: {
          async send({ pathname }: URL, { body, timeoutMs = 0 }: OutboundRequest) {
            requests += 1;
            const isJson = body?.startsWith('{') === true;
            const asked = { path: pathname, body: isJson ? JSON.parse(body) : {} };
            const key = `${pathname} ${isJson ? body : ''}`;
            times.set(key, (times.get(key) ?? -1) + 1);
            const answer = misbehave(asked, times.get(key) ?? 0) ?? soundAnswer(asked);
            const { status = 200, headers = {}, after = 10 } = answer;
            await time.sleep(Math.min(after, timeoutMs));
            if (after > timeoutMs) {
              throw new ServiceError('unavailable', 'Could not fetch: no complete answer');
            }
            const bytes = Buffer.isBuffer(answer.body) ? answer.body : JSON.stringify(answer.body);
            return { status, headers, body: Buffer.from(bytes ?? '') };
          },
          open: () => Promise.reject(new Error('no stream')),
          end() {},
        },
        sleep: (ms) => time.sleep(ms),
        ...{ now: () => time.now(), random: () => 0.5, allowPrivateAddresses: false },
        repeated: 'failed',
      },
    );
  const isc = new IscTenant(clientOf({ clientId: 'id', clientSecret: 'secret' }));
  const nerm = new NermTenant(clientOf({ token: 'key' }));
  const world = mirror.world({ authUsers: 'all', sweepEveryMs: 0 });
  return { ...world, remote: isc, profiles: nerm };
}

/** The result of work for which time has to pass. */
async function settled<T>(work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  work.then(settle, settle);
  // Without a timer, the store is at work.
  while (!(await time.reaches(() => isSettled, 24 * 3_600_000))) await turn();
  return work;
}

const isSearch = ({ path }: Asked) => path === '/v2024/search';
/** A page of the copy of the identities. */
const isPage = (asked: Asked) =>
  isSearch(asked) && asked.body.indices?.[0] === 'identities' && asked.body.sort?.[0] === 'id';
const isCount = ({ path }: Asked) => path === '/v2024/search/count';
const isUser = ({ path }: Asked) => path.startsWith('/v3/auth-users/');
const isToken = ({ path }: Asked) => path === '/oauth/token';
const isProfile = ({ path }: Asked) => path === '/api/profiles';
const isRecord = ({ path }: Asked) => path === '/api/users';
const answers =
  (answer: Answer, ...when: ((asked: Asked) => boolean)[]): Misbehaviour =>
  (asked) =>
    when.some((one) => one(asked)) ? answer : null;
const refuses = (status: number, text: string) => ({ status, body: { messages: [{ text }] } });
const busy = (seconds: string) => ({ status: 429, headers: { 'retry-after': seconds } });

/** Ten minutes for the request that shows it, and two for each of the others that may try. */
const TEN_MINUTES = 600_000;
const ALL_PARTS = TEN_MINUTES + 30 * 120_000;
const AT_ONCE = 60_000;

const SCENARIOS: readonly (readonly [
  name: string,
  misbehave: Misbehaviour,
  said: RegExp,
  msMax: number,
])[] = [
  ['pages that never arrive', answers(SILENT, isPage), /no complete answer \(given up/, ALL_PARTS],
  ['no answer at all', () => SILENT, /no complete answer \(given up after 1 attempt in/, ALL_PARTS],
  ['a token that never arrives', answers(SILENT, isToken), /given up after 1 attempt/, ALL_PARTS],
  ['counts that never arrive', answers(SILENT, isCount), /no complete answer/, ALL_PARTS],
  ['auth users that never arrive', answers(SILENT, isUser), /no complete answer/, ALL_PARTS],
  ['profiles that never arrive', answers(SILENT, isProfile, isRecord), /no complete/, ALL_PARTS],
  ['429 for ever', answers(busy('30'), isPage), /429 \(given up after 20 attempts/, ALL_PARTS],
  [
    'Retry-After: 1000000000',
    answers(busy('1000000000'), isPage),
    /asks to wait 1000000000 s, longer than the limit of 600 s\)$/,
    AT_ONCE,
  ],
  [
    '500 for ever',
    answers(refuses(500, 'No.'), isPage),
    /500: No\. \(given up after 25/,
    ALL_PARTS,
  ],
  [
    'HTML instead of a token',
    answers({ body: Buffer.from('<html>Sign in</html>') }, isToken),
    /oauth\/token answered 200 with no access token: is the base URL right\? \(given up after 5/,
    ALL_PARTS,
  ],
  [
    'a token with a line break',
    answers({ body: { access_token: 'a\r\nx-injected: 1' } }, isToken),
    /oauth\/token answered 200 with an access token that no HTTP header can hold/,
    ALL_PARTS,
  ],
  ['a token that is null', answers({ body: null }, isToken), /no access token/, ALL_PARTS],
  ...(
    [
      ['an object', { hits: [] }, /with a body that is not an array/],
      ['null', null, /with a body that is not an array/],
      ['a text', 'mirror complete', /with a body that is not an array/],
      ['numbers', [1, 2], /with a body that is not JSON/],
      ['arrays', [[1]], /with a document without id/],
      ['documents with a number as id', [{ id: 1 }], /with a document without id/],
      ['an endless id', [{ id: 'x'.repeat(100_000) }], /with an id that is too long/],
      ['nesting', Buffer.from(`[${'['.repeat(1e5)}${']'.repeat(1e5)}]`), /nested deeper than 70/],
      ['a broken array', Buffer.from('[{"id":"a"},,]'), /a broken array/],
      [
        'very many documents',
        Buffer.from(`[${'{"id":"a"},'.repeat(10_000)}{"id":"a"}]`),
        /more th/,
      ],
    ] as const
  ).map(
    ([shape, body, said]) =>
      [`pages that are ${shape}`, answers({ body }, isPage), said, ALL_PARTS] as const,
  ),
  [
    'counts without a number',
    answers({ headers: { 'x-total-count': '-1' } }, isCount),
    /no X-Total-Count/,
    ALL_PARTS,
  ],
  ['auth users that are arrays', answers({ body: [] }, isUser), /another auth user/, ALL_PARTS],
  ['auth users of others', answers({ body: { id: 'x' } }, isUser), /another auth user/, ALL_PARTS],
  [
    'profiles that are null',
    answers({ body: { profiles: null } }, isProfile),
    /no prof/,
    ALL_PARTS,
  ],
  ['users that are numbers', answers({ body: [1] }, isRecord), /record without id/, ALL_PARTS],
  [
    'an error with controls in it',
    answers(refuses(400, `${EVIL}${'x'.repeat(5_000)}`), isPage, isProfile, isUser),
    /400: \\u001b\[2K\\u000d\\u000amirror complete\\u009b1A\\u202ex+…$/,
    AT_ONCE,
  ],
];

describe('a run ends, and says why, if a remote tenant answers with', () => {
  for (const [name, misbehave, said, msMax] of SCENARIOS) {
    test(name, { timeout: 60_000 }, async () => {
      const { outcome, faults, error } = await settled(runMirror(worldWith(misbehave)));
      assert.equal(outcome, 'failed');
      assert.ok(
        faults.some((fault) => said.test(fault)),
        faults.join('\n'),
      );
      for (const fault of [...faults, error ?? '']) assert.doesNotMatch(fault, NOT_RAW);
      for (const fault of faults) assert.ok(fault.length < 1_000, fault);
      assert.ok(time.now() <= msMax, `${time.now() / 1_000} s`);
      assert.ok(requests < 1_000, `${requests} requests`);
      const nerm = ['users', 'profiles'].map((name) => `profile-management/${name}`);
      const incomplete = ['identities', 'auth-users', ...nerm];
      const parts = await Promise.all(incomplete.map((part) => mirror.part(part)));
      assert.ok(parts.some((part) => (part?.copiedAt ?? null) === null));
      // Once the tenant is well again, the next run ends what this one began.
      const { outcome: next } = await settled(runMirror(worldWith(() => null)));
      assert.equal(next, 'complete');
      assert.equal(await mirror.here('identities'), IDENTITIES.length);
    });
  }
});

describe('a run copies everything from a remote tenant that', () => {
  const HONEST: readonly (readonly [name: string, misbehave: Misbehaviour, msMin: number])[] = [
    [
      'takes nearly two minutes for each answer',
      (asked) => answeredAfter(110_000, asked),
      40 * 110_000,
    ],
    [
      'refuses each request twenty times, each for a while',
      (asked, times) => (isToken(asked) || times % 21 === 20 ? null : busy('20')),
      20 * 20_000,
    ],
    [
      'fails four times before each answer',
      (_, times) => (times % 5 < 4 ? { status: 503 } : null),
      1_000,
    ],
    [
      'is away for some minutes',
      (asked) =>
        time.now() > 60_000 && time.now() < 300_000 ? { status: 502 } : answeredAfter(3_000, asked),
      300_000,
    ],
  ];
  const answeredAfter = (after: number, asked: Asked) => ({ ...soundAnswer(asked), after });
  for (const [name, misbehave, msMin] of HONEST) {
    test(name, { timeout: 60_000 }, async () => {
      const { outcome, faults } = await settled(runMirror(worldWith(misbehave)));
      assert.deepEqual([outcome, faults], ['complete', []]);
      assert.equal(await mirror.here('identities'), IDENTITIES.length);
      assert.equal(await mirror.here('auth-users'), IDENTITIES.length);
      assert.ok(time.now() >= msMin, `${time.now()}`);
    });
  }
});

test('a comparison shows nothing of a remote tenant as it is', async () => {
  assert.equal((await settled(runMirror(worldWith(() => null)))).outcome, 'complete');
  const rows = IDENTITIES.map((row) => ({ ...row, name: EVIL, [`x${EVIL}`]: 1 }));
  const changed = answers({ body: [...rows, { ...rows[0], id: `j${EVIL}` }] }, isPage);
  const world = worldWith((asked, times) =>
    asked.body.searchAfter === undefined ? changed(asked, times) : null,
  );
  const options = { sample: null, random: Math.random };
  const { differences } = await settled(verifyMirror(world, options));
  assert.ok(differences.length >= 2 * IDENTITIES.length, `${differences.length}`);
  for (const text of differences.flatMap((one) => Object.values(one))) {
    assert.doesNotMatch(String(text), NOT_RAW);
  }
});
