// suite: slow
// Rows of a store that are lost, changed or not to be read: doctor and the background check name them, one
// run of --repair mends what can be mended and keeps every byte that it moves, and answers are then as
// before, but for what was named.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { temporaryFolder } from '../support/empty-store.ts';
import { eventually } from '../support/eventually.ts';
import {
  type Answers,
  askAll,
  callerOf,
  copyOf,
  createCompany,
  run,
  serve,
} from './damage-world.ts';

const folder = temporaryFolder();
const template = join(folder, 'template');
let written: Answers;

before(async () => {
  await createCompany(template);
  const dataDir = join(folder, 'sound');
  copyOf(template, dataDir, true);
  ({ answers: written } = await answersOf(dataDir));
});

/** All answers, and searches for values of dynamic fields. */
async function answersOf(dataDir: string, names?: Iterable<string>) {
  const { cardea, url, log } = await serve(dataDir);
  try {
    await cardea.indexer.waitFor(await cardea.store.read.lastSequence(), 60_000);
    const { answers } = await askAll(url, dataDir, names);
    const { call } = await callerOf(url, dataDir);
    const all = new Map(answers);
    for (const query of ['attributes.department:*', 'attributes.country:*']) {
      const body = { indices: ['identities'], query: { query }, sort: ['id'] };
      const { body: hits } = await call('POST', '/v3/search?limit=250', body);
      all.set(
        `search for ${query}`,
        JSON.stringify((hits as { id: string }[]).map(({ id }) => id)),
      );
    }
    await eventually(() => assert.ok(log.some((line) => /is sound|are damaged/.test(line))));
    const ready = (await (await fetch(`${url}/ready`)).json()) as { warnings?: string[] };
    return { answers: all, warnings: (ready.warnings ?? []).join('\n'), log: log.join('') };
  } finally {
    await cardea.stop();
  }
}

/** Changes one row of a table with checksums so that its checksum does not hold. */
const damaged = (table: string, change: string, where: string): readonly string[] => [
  `update ${table} set checksum = 'x' || checksum where ${where}`,
  `update ${table} set ${change} where ${where}`,
  `update ${table} set checksum = substr(checksum, 2) where checksum like 'x%'`,
];

interface Damage {
  readonly sql: readonly string[];
  /** What doctor says. */
  readonly says: RegExp;
  /** What /ready says. */
  readonly warns: RegExp;
  /** What is missing after --repair; nothing by default. */
  readonly missing?: RegExp;
  /** What is in the file of moved bytes; there is none by default. */
  readonly keeps?: RegExp;
}

const FIELDS = /^Rows of dynamic_field, .* are damaged: run cardea doctor --repair\.$/;
/** One with values to which no other one refers. */
const A_PROFILE = `(select min(id) from profile where id in (select profile_id from profile_value)
  and id not in (select ref_id from profile_value where ref_id is not null))`;
const TOKEN = "name = 'Token 2'";

const DAMAGE: Readonly<Record<string, Damage>> = {
  'all dynamic fields are lost': {
    sql: ['delete from dynamic_field'],
    says: /^fault +records +\d+ missing in dynamic_field: --repair /m,
    warns: FIELDS,
  },
  'dynamic fields of identities are of another kind': {
    sql: damaged('dynamic_field', "type = 'boolean'", "index_name = 'identities'"),
    says: /^fault +documents +\d+ damaged documents: "identities [\w.]+" of dynamic_field/m,
    warns: /damaged in the store and set aside/,
    keeps: /"index":"dynamic_field"/,
  },
  'all holders of capabilities are lost': {
    sql: ['delete from capability_holder'],
    says: /^fault +records +\d+ wrong in capability_holder: --repair /m,
    warns: /^Rows of capability_holder, /,
  },
  'counts are lost': {
    sql: ['delete from document_count', 'delete from dynamic_field_version'],
    says: /miscounted in dynamic_field_version, \d miscounted in document_count/,
    warns: /^Rows of dynamic_field_version, document_count, /,
  },
  'all values of a profile are lost': {
    sql: [`delete from profile_value where profile_id = ${A_PROFILE}`],
    says: /^fault +documents +1 damaged document: "[^"]+" of profile: /m,
    warns: /^1 document is damaged/,
    missing: /\/api\//,
    keeps: /"index":"profile"/,
  },
  'a value of a profile is lost': {
    sql: [
      `delete from profile_value where profile_id = ${A_PROFILE} and attribute_id =
        (select min(attribute_id) from profile_value where profile_id = ${A_PROFILE})`,
    ],
    says: /^fault +documents +1 damaged document: "[^"]+" of profile: /m,
    warns: /^1 document is damaged/,
    missing: /\/api\//,
    keeps: /"table":"profile_value"/,
  },
  'the tenant of a token cannot be read': {
    sql: damaged('credential', "tenant_id = cast(x'74ff74' as text)", TOKEN),
    says: /^fault +records +1 stray in credential: --repair /m,
    warns: /^1 document is damaged/,
    missing: /Token 2/,
    keeps: /"table":"credential".*\\"tenant_id\\":\{\\"hex\\":\\"74ff74\\"\}/,
  },
  'the id of a token cannot be read': {
    sql: damaged('credential', "id = cast(x'74ff74' as text)", TOKEN),
    says: /^fault +documents +1 damaged document: "t.t" of credential: /m,
    warns: /^1 document is damaged/,
    missing: /Token 2/,
    keeps: /"index":"credential"/,
  },
  'the index of a document cannot be read': {
    sql: [
      "update document set index_name = cast(x'ff' as text) where id = (select max(id) from document where index_name = 'roles')",
    ],
    says: /^fault +documents +1 damaged document: /m,
    warns: /^1 document is damaged/,
    missing: /roles/,
    keeps: /"index":"/,
  },
  'the document of an event of the audit trail is damaged': {
    sql: [
      "update document set root = x'0102' where sequence = (select min(sequence) from audit_event where number > 1)",
    ],
    says: /^fault +documents +1 damaged document: "[^"]+" of events: /m,
    warns: /^1 document is damaged/,
    keeps: /"index":"events"/,
  },
  'the signing key is damaged': {
    sql: damaged('signing_key', "jwk = 'x' || jwk", '1 = 1'),
    says: /^fault +documents +1 damaged document: "[^"]+" of signing_key: .* or --repair moves them/m,
    warns: /^1 document is damaged/,
    keeps: /"index":"signing_key"/,
  },
};

async function below(dataDir: string, statements: readonly string[]): Promise<void> {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  try {
    for (const statement of statements) connection.exec(statement);
  } finally {
    connection.close();
  }
}

for (const [name, { sql, says, warns, missing, keeps }] of Object.entries(DAMAGE)) {
  for (const withIndex of [true, false]) {
    test(`if ${name}, it is named and mended ${withIndex ? 'with an index' : 'that is fed meanwhile'}`, async () => {
      const dataDir = join(folder, 'damaged');
      copyOf(template, dataDir, withIndex);
      try {
        await below(dataDir, sql);
        const { answers, warnings } = await answersOf(dataDir, written.keys());
        assert.match(warnings, new RegExp(warns, 'm'));
        const asked = [...answers].filter(([question]) => !question.startsWith('search for'));
        for (const [question, answer] of asked) {
          assert.equal(answer, written.get(question), `${question} is false`);
        }
        const found = await run(dataDir, 'doctor');
        assert.equal(found.code, 1, found.out);
        assert.match(found.out, says);
        const repaired = await run(dataDir, 'doctor', '--repair');
        assert.equal(repaired.code, 0, repaired.out);
        const sound = await run(dataDir, 'doctor');
        assert.equal(sound.code, 0, sound.out);
        const kept = bytesIn(dataDir);
        if (keeps === undefined) assert.equal(kept, '');
        else assert.match(kept, keeps);
        const after = await answersOf(dataDir, written.keys());
        assert.equal(after.warnings, '');
        for (const [question, truth] of written) {
          const answer = after.answers.get(question);
          if (answer === undefined && missing?.test(`${question} ${truth}`)) continue;
          assert.equal(answer, truth, question);
        }
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    });
  }
}

/** What --repair moved. */
function bytesIn(dataDir: string): string {
  const directory = join(dataDir, 'damaged');
  try {
    return readdirSync(directory)
      .map((file) => readFileSync(join(directory, file), 'utf8'))
      .join('');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

test('of a damaged row that stays, doctor says so, and --repair leaves it', async () => {
  const dataDir = join(folder, 'staying');
  copyOf(template, dataDir, true);
  const { cardea } = await serve(dataDir);
  const [tenant] = await cardea.store.read.tenants();
  await cardea.store.write((r) => r.revokeToken(tenant?.id ?? '', { id: 'x', expires: 9e12 }));
  await cardea.stop();
  await below(dataDir, damaged('revoked_token', "tenant_id = cast(x'ff' as text)", "id = 'x'"));
  for (const flags of [[], ['--repair'], []]) {
    const { code, out } = await run(dataDir, 'doctor', ...flags);
    assert.equal(code, 1, out);
    assert.match(
      out,
      /"x" of revoked_token: restore a backup, as --repair leaves those of revoked_token, without/,
    );
  }
});

test('numbers of changes that are corrected at a start are logged, in one line', async () => {
  const dataDir = join(folder, 'numbers');
  copyOf(template, dataDir, true);
  await below(dataDir, ["update sequence_counter set value = 1 where name = 'document'"]);
  const corrected = async () => {
    const { log } = await answersOf(dataDir, []);
    return log.split('\n').filter((line) => /Numbers of changes/.test(line));
  };
  const [line, ...more] = await corrected();
  assert.deepEqual(more, []);
  assert.match(
    line ?? '',
    /were damaged and were corrected: the last number was 1 and is \d+ now"/,
  );
  assert.deepEqual(await corrected(), []);
});
