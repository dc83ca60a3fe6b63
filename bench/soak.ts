// Runs Cardea under a mixed load: some clients ask new questions of every kind without a pause, while
// documents change, disappear and return. Reports memory, caches, threads and handles minute by minute,
// and so finds leaks that grow with time instead of with work. See README.md for the flags.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Cardea } from './cardea.ts';
import { writeCorpus } from './corpus.ts';
import { diskMib, handleCount, threadCount, watchResident } from './process-figures.ts';
import { readMemory, SoakLoad } from './soak-load.ts';
import { type Sample, soakReport } from './soak-report.ts';

const { values: flags } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    // Of them 2,000 identities.
    documents: { type: 'string', default: '3225' },
    minutes: { type: 'string', default: '20' },
    clients: { type: 'string', default: '6' },
    writes: { type: 'string', default: '15' },
    build: { type: 'string' },
  },
});
const documents = Number(flags.documents);
const minutes = Number(flags.minutes);
const clients = Number(flags.clients);
const writesPerSecond = Number(flags.writes);

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-soak-'));
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const cardea = await Cardea.create({
    root: flags.build ?? root,
    folder: join(work, 'data'),
    nodeFlags: [],
    settings: { CARDEA_METRICS: 'on' },
  });
  await cardea.import(corpus.file);
  cardea.spawn();
  try {
    await cardea.untilReady();
    const load = await SoakLoad.of(corpus, clients, writesPerSecond);
    const about = [
      `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${documents} documents of ${(corpus.bytes / 1e6).toFixed(0)} MB`,
      `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}; clients and Cardea on one machine`,
      `${clients} clients with new questions, ${writesPerSecond} writes/s, ${minutes} minutes`,
    ];
    const text = soakReport(await samplesOf(cardea, load), about);
    console.log(text);
    if (flags.save) save(text);
  } finally {
    await cardea.stop();
  }
}

async function samplesOf(cardea: Cardea, load: SoakLoad): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    const resident = watchResident(cardea.pid);
    const times = await load.run(await cardea.address(), 60);
    const sample = {
      minute,
      ...times,
      residentMib: resident.stop(),
      memory: await readMemory(await cardea.address()),
      threads: threadCount(cardea.pid),
      handles: handleCount(cardea.pid),
      diskMib: diskMib(cardea.folder),
    };
    samples.push(sample);
    process.stderr.write(`${soakReport([sample], []).trim().split('\n').at(-1)}\n`);
  }
  return samples;
}

function save(text: string): void {
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(join(folder, `${date}-soak.md`), text);
}
