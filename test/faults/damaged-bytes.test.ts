// suite: slow
// One damaged byte anywhere in the file of a stopped store: nothing false is ever served, and what is
// missing or refused is named by doctor. DAMAGE_RUNS sets the number of runs, DAMAGE_SEED the first
// of their seeds.
import assert from 'node:assert/strict';
import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { caseCount } from '../support/case-count.ts';
import { temporaryFolder } from '../support/empty-store.ts';
import { type Answers, askAll, copyOf, createCompany, run, serve } from './damage-world.ts';

const RUNS = Number(process.env['DAMAGE_RUNS'] ?? caseCount(4, 8));
const SEED = Number(process.env['DAMAGE_SEED'] ?? 1);
/** For a search to be refused because of a damaged document alone. */
const REFUSED_MS_MAX = 10_000;

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
  const connection = await openConnection(path, 5_000);
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
    rmSync(dataDir, { recursive: true, force: true });
  });
}

/** Serves a damaged store and checks the answers. @returns what happened, for people */
async function outcomeOf(dataDir: string, where: string): Promise<string> {
  let served: Awaited<ReturnType<typeof serve>>;
  try {
    served = await serve(dataDir);
  } catch (error) {
    const { code, out, err } = await run(dataDir, 'serve', '--port', '0');
    assert.equal(code, 2, `${where}: ${error}\n${out}${err}`);
    const lines = err.split('\n').filter((line) => line !== '');
    assert.equal(lines.length, 1, `${where}: ${err}`);
    assert.match(lines[0] ?? '', WAY_OUT, where);
    return 'the start is refused';
  }
  const { cardea, url } = served;
  let [missing, refused] = [0, 0];
  try {
    const begun = performance.now();
    const last = await cardea.store.read.lastSequence();
    await cardea.indexer.waitFor(last, REFUSED_MS_MAX).catch(() => {});
    const { answers, refusals } = await askAll(url, dataDir, written.keys());
    // An index that differs from its table hides a row, so what shows its name may lack it.
    const lacking: string[] = [];
    for (const [name, answer] of answers) {
      if (where.includes('(index ') && name.includes('/profiles')) {
        if (answer !== written.get(name)) lacking.push(name);
      } else assert.equal(answer, written.get(name), `${where}: ${name} is false`);
    }
    missing += lacking.length;
    const feeds = performance.now() - begun;
    for (const [name, text] of refusals) {
      // A damaged index of SQLite hides rows; where a row with the same key is written, that is a fault.
      const refusal = name === 'login' ? /^(401|500|503)/ : /^(404|503)/;
      assert.match(text, refusal, `${where}: ${name} after ${feeds} ms`);
    }
    refused = refusals.size;
    missing += [...written.keys()].filter((name) => !answers.has(name)).length;
    if (process.env['DAMAGE_SHOW'] !== undefined && missing > 0) {
      const lost = [...written.keys()].filter((name) => !answers.has(name));
      console.error(where, missing, lost.slice(0, 3), [...refusals].slice(0, 3));
    }
  } finally {
    await cardea.stop();
  }
  const doctor = await run(dataDir, 'doctor');
  if (missing + refused === 0) return `all is served, doctor says ${doctor.code}`;
  assert.equal(doctor.code, 1, `${where}: ${missing} missing\n${doctor.out}${doctor.err}`);
  assert.match(doctor.out, WAY_OUT, where);
  return `${missing} answers less, doctor names it`.replace(/^\d\d+/, 'ten or more');
}
