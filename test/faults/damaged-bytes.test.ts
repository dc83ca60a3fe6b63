// suite: slow
// One damaged byte anywhere in the file of a stopped store: nothing false is ever served, and what is
// missing or refused is named by doctor. DAMAGE_RUNS sets the number of runs, DAMAGE_SEED the first
// of their seeds.
import assert from 'node:assert/strict';
import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { areOfIndexes } from '../../src/store/sqlite/integrity.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { caseCount } from '../support/case-count.ts';
import { temporaryFolder } from '../support/empty-store.ts';
import { eventually } from '../support/eventually.ts';
import {
  type Answers,
  askAll,
  copyOf,
  createCompany,
  run,
  type Served,
  serve,
} from './damage-world.ts';

const RUNS = Number(process.env['DAMAGE_RUNS'] ?? caseCount(4, 8));
const SEED = Number(process.env['DAMAGE_SEED'] ?? 1);
/** For a search to be refused because of a damaged document alone. */
const REFUSED_MS_MAX = 10_000;
const SHOW = process.env['DAMAGE_SHOW'] !== undefined;

const folder = temporaryFolder();
const template = join(folder, 'template');
let written: Answers;
let pages: readonly Page[];
const counts = new Map<string, number>();

before(async () => {
  await createCompany(template);
  const dataDir = join(folder, 'sound');
  copyOf(template, dataDir, true);
  const { cardea, url } = await serve(dataDir);
  const { answers, refusals } = await askAll(url, dataDir).finally(() => cardea.stop());
  assert.deepEqual([...refusals.values()], []);
  written = answers;
  pages = await pagesOf(join(template, 'cardea.db'));
});
after(() => {
  for (const [outcome, count] of [...counts].sort()) {
    process.stdout.write(`# ${String(count).padStart(4)} ${outcome}\n`);
  }
});

/** A page of the file, and the table or index whose it is. */
interface Page {
  readonly name: string;
  readonly number: number;
}

async function pagesOf(path: string): Promise<readonly Page[]> {
  const connection = await openConnection(path, 60_000);
  try {
    const rows = connection.all(
      `select case type when 'index' then 'index ' else '' end || dbstat.name as name, pageno
        from dbstat left join sqlite_schema on sqlite_schema.name = dbstat.name`,
      [],
    );
    return rows.map((row) => ({ name: String(row['name']), number: Number(row['pageno']) }));
  } finally {
    connection.close();
  }
}

const PAGE_BYTES = 16_384;

/**
 * Chooses a byte: in every second run any of the file, otherwise one of the header or of the used
 * part of a page, each table and index being as likely as any other.
 */
function chooseByte(file: number, path: string, random: () => number): readonly [number, string] {
  const below = (n: number) => Math.floor(random() * n);
  if (random() < 0.5) {
    const at = below(statSync(path).size);
    const number = Math.floor(at / PAGE_BYTES) + 1;
    return [at, pages.find((page) => page.number === number)?.name ?? 'free'];
  }
  const names = [...new Set(pages.map(({ name }) => name))];
  const name = names[below(names.length)] as string;
  const own = pages.filter((page) => page.name === name);
  const { number } = own[below(own.length)] as Page;
  const start = (number - 1) * PAGE_BYTES;
  const header = Buffer.alloc(8);
  readSync(file, header, 0, 8, start + (number === 1 ? 100 : 0));
  const content = Math.min(header.readUInt16BE(5) || PAGE_BYTES, PAGE_BYTES - 1);
  const isTree = [2, 5, 10, 13].includes(header[0] ?? 0);
  if (!isTree || random() < 0.25) return [start + below(isTree ? 64 : PAGE_BYTES), name];
  return [start + content + below(PAGE_BYTES - content), name];
}

/** Damages a byte. @returns where */
function damage(path: string, random: () => number): string {
  const file = openSync(path, 'r+');
  try {
    const [at, name] = chooseByte(file, path, random);
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, at);
    const before = byte[0] as number;
    byte[0] = before ^ (1 + Math.floor(random() * 255));
    writeSync(file, byte, 0, 1, at);
    return `byte ${at} (${name}, ${at % PAGE_BYTES} of its page): ${before} -> ${byte[0]}`;
  } finally {
    closeSync(file);
  }
}

const WAY_OUT = /restore a backup|cardea restore|--repair|import it again|write it again/;

for (let n = 0; n < RUNS; n++) {
  const seed = SEED + n;
  test(`whichever byte is damaged, nothing false is served and what is not is named (${seed})`, async () => {
    const dataDir = join(folder, `run${seed}`);
    const random = seededRandom(seed);
    copyOf(template, dataDir, random() < 0.5);
    const where = damage(join(dataDir, 'cardea.db'), random);
    const outcome = await outcomeOf(dataDir, where);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    if (SHOW) console.error(`${seed}: ${where}: ${outcome}`);
    rmSync(dataDir, { recursive: true, force: true });
  });
}

/** Serves a damaged store, and checks answers and reports, and a repair. @returns what happened, for people */
async function outcomeOf(dataDir: string, where: string): Promise<string> {
  let served: Served;
  try {
    served = await serve(dataDir);
  } catch (error) {
    const { code, out, err } = await run(dataDir, 'serve', '--port', '0');
    assert.equal(code, 2, `${where}: ${error}\n${out}${err}`);
    const lines = err.split('\n').filter((line) => line !== '');
    assert.equal(lines.length, 1, `${where}: ${err}`);
    assert.match(lines[0] ?? '', WAY_OUT, where);
    const doctor = await run(dataDir, 'doctor');
    assert.equal(doctor.code, 1, `${where}: ${doctor.out}${doctor.err}`);
    assert.match(doctor.out, WAY_OUT, where);
    const check: Check = { kind: 'damaged pages', faults: [] };
    return `the start is refused, ${await repair(dataDir, check, where)}`;
  }
  const { check, missing } = await answersOf(served, dataDir, where).finally(() =>
    served.cardea.stop(),
  );
  const doctor = await run(dataDir, 'doctor');
  const named = `${where}: ${JSON.stringify(check)}, ${missing} missing\n${doctor.out}${doctor.err}`;
  const faults = doctor.out.split('\n').filter((line) => line.startsWith('fault'));
  if (check.kind === 'sound') {
    assert.equal(missing, 0, named);
    assert.deepEqual(faults, [], named);
    return 'nothing is damaged, all is served';
  }
  if (faults.length > 0 && faults.every((line) => /^fault +audit trail/.test(line))) {
    assert.equal(missing, 0, named);
    return 'damaged audit trail: all is served, the check and doctor name the event';
  }
  assert.equal(doctor.code, 1, named);
  assert.match(doctor.out, WAY_OUT, where);
  const repaired = await repair(dataDir, check, where);
  return `${check.kind}: ${missing === 0 ? 'all is served' : 'some is missing'}, ${repaired}`;
}

/** Damage that --repair leaves in the store: rows that take rights away, and another definition of an index. */
const STAYS = /" of (tenant|absent_user|revoked_token)\b|^fault +schema/m;

/** What the background check of a store reported. */
interface Check {
  readonly kind: 'sound' | 'damaged records' | 'damaged indexes' | 'damaged pages';
  readonly faults: readonly string[];
}

const KINDS: readonly (readonly [message: RegExp, kind: Check['kind']])[] = [
  [/^Every page, document and audit trail of the store is sound/, 'sound'],
  [
    /^(Records|Rows derived from records) are damaged|^The audit trail is damaged/,
    'damaged records',
  ],
  [/^The store is damaged/, 'damaged pages'],
];

/** Waits for the first check of the store. */
async function checkOf(log: readonly string[]): Promise<Check> {
  let check: Check | null = null;
  await eventually(async () => {
    for (const line of log) {
      const { msg, faults = [] } = JSON.parse(line) as { msg: string; faults?: string[] };
      const kind = KINDS.find(([message]) => message.test(msg))?.[1];
      if (kind === undefined) continue;
      check ??= { kind: areOfIndexes(faults) ? 'damaged indexes' : kind, faults };
    }
    assert.ok(check !== null, log.join(''));
  });
  return check ?? assert.fail();
}

/**
 * Checks what a service of a damaged store answers and reports.
 * @returns the report, and the number of answers that are missing
 */
async function answersOf({ url, log }: Served, dataDir: string, where: string) {
  const begun = performance.now();
  let { answers, refusals } = await askAll(url, dataDir, written.keys());
  // Searches wait for the feeding of the index. The last time they are asked is after the limit, as asking
  // all may take longer than that on a busy machine.
  const searchRefused = () => [...refusals.keys()].some((name) => name.startsWith('search'));
  for (let asked = begun; searchRefused() && asked - begun < REFUSED_MS_MAX; ) {
    asked = performance.now();
    ({ answers, refusals } = await askAll(url, dataDir, written.keys()));
  }
  const check = await checkOf(log);
  const about = `${where}: ${JSON.stringify(check)}`;
  if ((check.kind === 'sound' || check.kind === 'damaged records') && searchRefused()) {
    // Only a busy machine delays the feeding of the index.
    await eventually(async () => {
      ({ answers, refusals } = await askAll(url, dataDir, written.keys()));
      assert.ok(!searchRefused(), `${about}: ${[...refusals]}`);
    });
  }
  for (const [name, answer] of answers) {
    const truth = written.get(name);
    if (answer === truth) continue;
    // An index that differs from its table hides a row, so what shows its name may lack it.
    const lacks = check.faults.length > 0 && lacksValues(name, answer, truth);
    assert.ok(lacks, `${about}: ${name} is false: ${answer} instead of ${truth}`);
  }
  for (const [name, text] of refusals) {
    // A damaged index of SQLite hides rows; where a row with the same key is written, that is a fault.
    const refusal = name === 'login' ? /^(401|500|503)/ : /^(404|503)/;
    assert.match(text, refusal, `${about}: ${name}`);
  }
  await eventually(async () => {
    const answer = await fetch(`${url}/ready`);
    const ready = (await answer.json()) as { warnings?: string[] };
    const text = `${about} ${JSON.stringify(ready)}`;
    // Without its search index a node has reasons instead of warnings; the log names the damage.
    if (check.faults.length > 0 && answer.status === 503) return;
    const pattern = check.kind === 'sound' ? /^$/ : /damaged/;
    assert.match((ready.warnings ?? []).join(' '), pattern, text);
  });
  const missing = [...written].filter(([name, truth]) => answers.get(name) !== truth);
  if (SHOW && missing.length > 0) {
    console.error(about, missing.length, missing.slice(0, 3), [...refusals].slice(0, 3));
  }
  return { check, missing: missing.length };
}

/** True if a record has no member and no item of a text that another one lacks. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string' && typeof whole === 'string') {
    const items = whole.split(', ');
    return part.split(', ').every((item) => items.includes(item));
  }
  if (part === null || whole === null || typeof part !== 'object' || typeof whole !== 'object') {
    return part === whole;
  }
  return Object.entries(part).every(([name, member]) =>
    isPartOf(member, (whole as Record<string, unknown>)[name]),
  );
}

/** True for a profile that is as it was written, but for values that it lacks. */
function lacksValues(name: string, answer: string, truth: string | undefined): boolean {
  return name.includes('/profiles') && isPartOf(JSON.parse(answer), JSON.parse(truth ?? '{}'));
}

/** Repairs a stopped store, and checks what is served then. @returns what is left, for people */
async function repair(dataDir: string, check: Check, where: string): Promise<string> {
  let mending = '';
  let doctor = { code: 1, out: '' };
  // A repair of records may leave an index that differs from them, which the next one rebuilds.
  for (let round = 0; round < 2 && doctor.code !== 0; round++) {
    mending += (await run(dataDir, 'doctor', '--repair')).out;
    doctor = await run(dataDir, 'doctor');
  }
  const about = `${where}: ${JSON.stringify(check)}\n${mending}\n${doctor.out}`;
  if (doctor.code !== 0) {
    if (check.kind !== 'damaged pages') assert.match(doctor.out, STAYS, about);
    assert.match(doctor.out, /restore a backup|then run CREATE INDEX/, about);
    return 'doctor says how to mend it';
  }
  const movesRecords = /their bytes|stray in/.test(mending);
  const served = await serve(dataDir);
  try {
    const { answers, refusals } = await askAll(served.url, dataDir, written.keys());
    const missing = [...written].filter(([name, truth]) => answers.get(name) !== truth);
    if (!movesRecords) assert.deepEqual(missing, [], `${about} ${[...refusals]}`);
    for (const [name, truth] of missing) {
      const answer = answers.get(name);
      // A profile does not show a reference to a record that is not there.
      const isFalse = answer !== undefined && !lacksValues(name, answer, truth);
      assert.ok(!isFalse, `${about}: ${name} is false: ${answer}`);
    }
    return movesRecords ? '--repair moves a record away' : '--repair mends it';
  } finally {
    await served.cardea.stop();
  }
}
