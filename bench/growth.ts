// Plans a cluster past this machine: shards, disk, cores and nodes for more documents than were
// measured, by the line through two committed results, and a simulation of the feeding lag of a
// day. See README.md for the flags.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AIM_SECONDS, simulateFeeding, workingDay } from './growth/feeding.ts';
import { readResults, slopesOf } from './growth/measured.ts';
import { clusterFor, SHARD_GIB_MAX } from './growth/shards.ts';

const { values: flags } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    small: { type: 'string', default: '2026-11-26-100000' },
    large: { type: 'string', default: '2026-11-26-1000000' },
    index: { type: 'string', default: '1.3' },
    'question-ms': { type: 'string', default: '2' },
    'write-ms': { type: 'string', default: '3' },
    feed: { type: 'string', default: '1000' },
    replicas: { type: 'string', default: '1' },
  },
});
const DOCUMENTS = [1_000_000, 10_000_000, 100_000_000];
const QUESTIONS_PER_SECOND = [10, 100];
const WRITES_PER_SECOND = 20;
/** Documents a second, mean of the day, and documents of the nightly load. */
const DAYS = [
  { mean: 10, nightly: 100_000 },
  { mean: 50, nightly: 1_000_000 },
  { mean: 200, nightly: 1_000_000 },
  { mean: 200, nightly: 10_000_000 },
];
/** How fast a nightly load is imported: what the store takes. */
const NIGHTLY_PER_SECOND = 3_000;
/** Batch, bulk request and refresh, from `lag`. */
const LEAST_SECONDS = 0.3;
const DAY_SECONDS = 86_400;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const results = join(root, 'bench', 'results');
const slopes = slopesOf(
  readResults(join(results, `${flags.small}.json`)),
  readResults(join(results, `${flags.large}.json`)),
  {
    index: Number(flags.index),
    questionSeconds: Number(flags['question-ms']) / 1000,
    writeSeconds: Number(flags['write-ms']) / 1000,
  },
);
const text = [
  '# Growth past the measured sizes',
  '',
  `- a line through ${flags.small} and ${flags.large}; an index ${flags.index} × a user's own; ${flags['question-ms']} ms of CPU for a question in Cardea and PostgreSQL, ${flags['write-ms']} ms for a written document in all parts; ${flags.replicas} replica of each shard`,
  `- one copy takes ${(slopes.bytesPerDocument / 1024).toFixed(1)} KiB for each document; a question ${(slopes.questionSeconds * 1000).toFixed(1)} ms of CPU, and ${(slopes.questionSecondsPerMillion * 1000).toFixed(1)} ms more for each million documents: the mean of all kinds of the bench, unfiltered aggregations included`,
  `- shards of at most ${SHARD_GIB_MAX} GiB, nodes of 16 cores and 64 GiB, ${WRITES_PER_SECOND} writes a second`,
  '',
  '| documents | questions a second | shards | GiB a shard | GiB of disk | cores | nodes |',
  '| --- | --- | --- | --- | --- | --- | --- |',
  ...DOCUMENTS.flatMap((documents) =>
    QUESTIONS_PER_SECOND.map((questionsPerSecond) => sizeLine(documents, questionsPerSecond)),
  ),
  '',
  '## Feeding',
  '',
  `One node feeds ${flags.feed} documents a second. A nightly load arrives at ${NIGHTLY_PER_SECOND} a second; the other writes rise and fall with the hour.`,
  '',
  `| written in the day | of them at night | longest lag | within ${AIM_SECONDS} s | behind for |`,
  '| --- | --- | --- | --- | --- |',
  ...DAYS.map(feedingLine),
  '',
].join('\n');
console.log(text);
if (flags.save) {
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, `${new Date().toISOString().slice(0, 10)}-growth.md`), text);
}

function sizeLine(documents: number, questionsPerSecond: number): string {
  const demand = { documents, questionsPerSecond, writesPerSecond: WRITES_PER_SECOND };
  const needs = clusterFor({ ...demand, replicas: Number(flags.replicas) }, slopes);
  const cells = [
    ...[documents.toLocaleString('en'), questionsPerSecond, needs.shards],
    ...[needs.shardGib.toFixed(1), Math.ceil(needs.diskGib), needs.cores, needs.nodes],
  ];
  return `| ${cells.join(' | ')} |`;
}

function feedingLine({ mean, nightly }: (typeof DAYS)[number]): string {
  const rate = workingDay({ mean, nightly, nightlyPerSecond: NIGHTLY_PER_SECOND });
  const feeder = { documentsPerSecond: Number(flags.feed), leastSeconds: LEAST_SECONDS };
  const day = simulateFeeding(rate, feeder, DAY_SECONDS);
  const written = mean * DAY_SECONDS + nightly;
  const cells = [
    ...[written.toLocaleString('en'), nightly.toLocaleString('en')],
    spanText(day.longestLagSeconds),
    `${(100 * day.shareWithinAim).toFixed(0)} %`,
    day.waitingAtEnd > 1 ? 'more than the day' : spanText(day.secondsBehind),
  ];
  return `| ${cells.join(' | ')} |`;
}

function spanText(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3_600) return `${(seconds / 60).toFixed(0)} minutes`;
  return `${(seconds / 3_600).toFixed(1)} hours`;
}
