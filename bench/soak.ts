// Runs Cardea under a mixed load for an hour: searches of every kind at four fifths of its
// capacity, with documents that change, disappear and return. Reports memory, handles and latency
// over time, and so finds leaks that grow with time instead of with work. See README.md for the
// flags.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Cardea } from './cardea.ts';
import { writeCorpus } from './corpus.ts';
import { diskMib, handleCount, watchResident } from './process-figures.ts';
import { type Mix, mixedLoad, mixOf, readCapacity } from './soak-load.ts';
import { type Sample, soakReport } from './soak-report.ts';

const { values: flags } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    documents: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '60' },
    writes: { type: 'string', default: '20' },
    share: { type: 'string', default: '0.8' },
  },
});
const documents = Number(flags.documents);
const minutes = Number(flags.minutes);
const writesPerSecond = Number(flags.writes);
/** Share of the capacity. */
const share = Number(flags.share);
/** Rows of the report. */
const SAMPLES = 12;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-soak-'));
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const cardea = await Cardea.create({ root, folder: join(work, 'data'), nodeFlags: [] });
  await cardea.import(corpus.file);
  cardea.spawn();
  try {
    await cardea.untilReady();
    const mix = await mixOf(corpus);
    const capacity = await readCapacity(cardea, mix, writesPerSecond);
    process.stderr.write(`capacity: ${capacity.toFixed(0)} searches/s\n`);
    const samples = await samplesOf(cardea, mix, capacity * share);
    const about = [
      `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${documents} documents`,
      `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}; client and Cardea on one machine`,
      `capacity ${capacity.toFixed(0)} searches/s; load ${(capacity * share).toFixed(0)}/s with ${writesPerSecond} writes/s, ${minutes} minutes`,
    ];
    const text = soakReport(samples, about);
    console.log(text);
    if (flags.save) save(text);
  } finally {
    await cardea.stop();
  }
}

async function samplesOf(cardea: Cardea, mix: Mix, readsPerSecond: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const seconds = (minutes * 60) / SAMPLES;
  for (let at = 1; at <= SAMPLES; at += 1) {
    const resident = watchResident(cardea.pid);
    const times = await mixedLoad(cardea, mix, { seconds, readsPerSecond, writesPerSecond });
    const sample = {
      minute: (at * minutes) / SAMPLES,
      seconds,
      ...times,
      residentMib: resident.stop(),
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
