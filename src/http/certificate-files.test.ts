// suite: slow
// Which certificate a server uses when its files change, by its clock, and what it says about it.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { pino } from 'pino';
import { eventually } from '../../test/support/eventually.ts';
import { issueAuthority, issueServer, type Pair } from '../cli/certificate/issue.ts';
import { ServedCertificate } from './certificate-files.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');
const directory = mkdtempSync(join(tmpdir(), 'cardea-certificates-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** A certificate, by the days from NOW between which it is valid. */
type Days = readonly [from: number, until: number];
const pairs = new Map<string, Pair>();
const VALID: Days = [-10, 90];
const LONGER: Days = [-1, 200];
const SHORTER: Days = [-1, 30];
const EXPIRED: Days = [-90, -1];
const EXPIRED_BEFORE: Days = [-90, -30];
const LATER: Days = [2, 300];
before(async () => {
  const authority = await issueAuthority({ from: NOW - 400 * DAY, until: NOW + 400 * DAY });
  for (const days of [
    VALID,
    LONGER,
    SHORTER,
    EXPIRED,
    EXPIRED_BEFORE,
    LATER,
    [-10, 14.5],
    [-10, 13.5],
    [-10, 1.5],
    [-10, 0.5],
  ]) {
    const [from = 0, until = 0] = days.map((day) => NOW + day * DAY);
    pairs.set(String(days), await issueServer(authority, ['localhost'], { from, until }));
  }
});

let files = 0;

/** A server with a certificate, whose files and clock a test changes. */
function serve(days: Days) {
  files += 1;
  const [certFile, keyFile] = [
    join(directory, `cert${files}.pem`),
    join(directory, `key${files}.pem`),
  ];
  let now = NOW;
  /** Polls compare times, and the first one may come after a change. */
  const touch = () => {
    now += 1;
    for (const file of [keyFile, certFile]) utimesSync(file, now / 1_000, now / 1_000);
  };
  const offer = (next: Days) => {
    const { certificate, key } = pairs.get(String(next)) ?? assert.fail();
    writeFileSync(keyFile, key);
    writeFileSync(certFile, certificate);
  };
  offer(days);
  const lines: { level: number; msg: string }[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
  const certificate = new ServedCertificate({ cert, key, certFile, keyFile }, log, () => now);
  const server = createServer({ cert, key });
  return {
    certificate,
    offer,
    touch,
    spoil: () => rmSync(certFile),
    follow: () => certificate.follow(server),
    pass: (day: number) => {
      now += day * DAY;
    },
    warnings: () => lines.filter(({ level }) => level >= 40).map(({ msg }) => msg),
    infos: () => lines.filter(({ level }) => level === 30).map(({ msg }) => msg),
    day: () => Math.round((certificate.expires - NOW) / DAY),
  };
}

const CHANGES: readonly (readonly [before: Days, after: Days, used: Days, said: RegExp])[] = [
  [VALID, LONGER, LONGER, /^The TLS certificate was read again$/],
  [VALID, SHORTER, SHORTER, /^The TLS certificate was read again$/],
  [VALID, EXPIRED, VALID, /^The changed TLS certificate has expired; the one before stays in use$/],
  [
    VALID,
    LATER,
    VALID,
    /^The changed TLS certificate is not valid yet; the one before stays in use$/,
  ],
  [EXPIRED, VALID, VALID, /^The TLS certificate was read again$/],
  [
    EXPIRED_BEFORE,
    EXPIRED,
    EXPIRED,
    /^Neither .* is valid now; the changed one ends later and is in use$/,
  ],
  [
    EXPIRED,
    EXPIRED_BEFORE,
    EXPIRED,
    /^Neither .* is valid now; the one before ends later and stays in use$/,
  ],
  [EXPIRED, LATER, LATER, /^Neither .* is valid now; the changed one ends later and is in use$/],
];

describe('a certificate that changes', () => {
  for (const [first, next, used, said] of CHANGES) {
    test(`from ${first} to ${next} days: ${used} is used, and it says so`, async () => {
      const { offer, touch, follow, day, warnings, infos, certificate } = serve(first);
      const end = follow();
      try {
        offer(next);
        await eventually(() => {
          touch();
          assert.ok([...warnings(), ...infos()].some((line) => said.test(line)));
        });
        assert.equal(day(), used[1]);
        const isKept = used !== next;
        assert.equal(
          /files of the TLS certificate have one/.test(certificate.warning ?? ''),
          isKept,
        );
        // An expired certificate never replaces a valid one in silence.
        if (isKept) assert.ok(warnings().some((line) => said.test(line)));
      } finally {
        end();
      }
    });
  }

  test('and begins to be valid later is used from then on', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const { offer, touch, follow, day, warnings, infos, certificate, pass } = serve(VALID);
    const end = follow();
    try {
      offer(LATER);
      await eventually(() => {
        touch();
        assert.match(warnings().join(), /is not valid yet/);
      });
      pass(3);
      mock.timers.tick(60_000);
      assert.equal(day(), LATER[1]);
      assert.deepEqual(infos(), ['The TLS certificate was read again']);
      assert.equal(certificate.warning, null);
    } finally {
      end();
      mock.timers.reset();
    }
  });
});

test('files that cannot be used are a warning once, until they are as they were', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const { follow, warnings, certificate, offer, spoil } = serve(VALID);
  const end = follow();
  try {
    spoil();
    mock.timers.tick(180_000);
    assert.deepEqual(warnings(), [
      'The changed TLS certificate cannot be used; the one before stays in use',
    ]);
    assert.match(certificate.warning ?? '', /a restart would fail; the log of this node says why/);
    offer(VALID);
    mock.timers.tick(60_000);
    assert.deepEqual([certificate.warning, warnings().length], [null, 1]);
  } finally {
    end();
    mock.timers.reset();
  }
});

test('an end within 14 days is a warning, in the log once a day', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const { follow, warnings, certificate, pass } = serve([-10, 14.5]);
  const end = follow();
  try {
    assert.deepEqual([certificate.warning, warnings()], [null, []]);
    const minutes = 24 * 60;
    for (let minute = 0; minute < 2 * minutes + 60; minute++) {
      pass(1 / minutes);
      mock.timers.tick(60_000);
    }
    const expires = 'at 2026-06-15T12:00:00.000Z: renew it.';
    assert.equal(certificate.warning, `The TLS certificate expires in 12 days, ${expires}`);
    assert.deepEqual(warnings(), [
      `The TLS certificate expires in 14 days, ${expires}`,
      `The TLS certificate expires in 13 days, ${expires}`,
    ]);
  } finally {
    end();
    mock.timers.reset();
  }
});

for (const [days, warning] of [
  [
    [-10, 13.5],
    /^The TLS certificate expires in 13 days, at 2026-06-14T12:00:00.000Z: renew it\.$/,
  ],
  [
    EXPIRED,
    /^The TLS certificate expired at 2026-05-31T00:00:00.000Z, so clients refuse it: renew/,
  ],
  [LATER, /^The TLS certificate is not valid before 2026-06-03T00:00:00.000Z, so clients refuse/],
] as const) {
  test(`a start with a certificate of ${days} days is warned of`, () => {
    const { certificate, warnings } = serve(days);
    assert.match(certificate.warning ?? '', warning);
    assert.equal(warnings().length, 1);
    assert.match(warnings()[0] ?? '', warning);
  });
}
