// Mutation testing: measures how many small defects the tests detect. Applies seeded one-line
// mutations to a copy of the build, one at a time, and runs the test files that execute the line
// until one fails:
//   npm run mutate -- --count 60 --seed 7 [--below src/query] [--least 85] [--json FILE] [--survivors-of FILE]
// `--quick` uses the tests of `npm test` alone, `--with-backends` also those that need other programs.
// Prints each verdict and then the survivors. Exits with code 1 if fewer than --least percent are
// caught, and with 2 if tests fail without a mutation.
import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../test/differential/random.ts';
import { type BuiltCopy, CHECKOUT, copyBuild } from '../test/mutation/built-copy.ts';
import { type Candidate, chooseCandidates, findCandidates } from '../test/mutation/candidates.ts';
import { type Judgement, judge } from '../test/mutation/judgement.ts';
import {
  isCaught,
  progressLine,
  summarise,
  summaryLine,
  survivorTable,
} from '../test/mutation/report.ts';
import { listTestFiles, measureTestFiles, type TestFile } from '../test/mutation/test-files.ts';
import { isQuick, NEEDS_PROGRAMS } from './test-suites.ts';

const MEASURE_MS_MAX = 300_000;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    below: { type: 'string', default: 'src/' },
    least: { type: 'string', default: '85' },
    'seconds-each': { type: 'string', default: '600' },
    'with-backends': { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    'survivors-of': { type: 'string' },
    list: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(new Error(`Stopped by ${signal}`)));
}
// Other programs on the machine have priority.
setPriority(10);

const copy = await copyBuild();
try {
  const chosen = await choose(copy);
  if (values.list) {
    for (const { source, line, mutator, before, after } of chosen) {
      console.log(`${source}:${line} ${mutator}\n  - ${before}\n  + ${after}`);
    }
  } else {
    process.exitCode = await run(copy, chosen);
  }
} finally {
  await copy.remove();
}

/** Selects the candidates to judge: by the seed, or the survivors of an earlier run. */
async function choose(copy: BuiltCopy): Promise<Candidate[]> {
  const candidates = await findCandidates(copy);
  const earlier = values['survivors-of'];
  if (earlier !== undefined) {
    const { judgements } = JSON.parse(readFileSync(earlier, 'utf8')) as { judgements: Judgement[] };
    const survivors = new Set(
      judgements.filter((each) => !isCaught(each)).map((each) => identity(each.candidate)),
    );
    return candidates.filter((each) => survivors.has(identity(each)));
  }
  const random = new Random(Number(values.seed));
  const eligible = candidates.filter(({ source }) => source.startsWith(values.below));
  return chooseCandidates(eligible, Number(values.count), () => random.next());
}

/** A key that is unique by mutation and the same in each build of the same sources. */
function identity({ source, line, column, before, after }: Candidate): string {
  return JSON.stringify([source, line, column, before, after]);
}

async function run(copy: BuiltCopy, chosen: readonly Candidate[]): Promise<number> {
  const testFiles = await measure(copy);
  const broken = testFiles.filter(({ passed }) => !passed);
  for (const { file } of broken) console.log(`${file} fails without a mutation and is not used`);
  const judgements: Judgement[] = [];
  for (const candidate of chosen) {
    const secondsMax = Number(values['seconds-each']);
    judgements.push(await judge(copy, candidate, testFiles, { secondsMax, signal: stop.signal }));
    console.log(progressLine(judgements.at(-1) as Judgement, judgements.length, chosen.length));
    writeReport(judgements);
  }
  const summary = summarise(judgements);
  console.log(`\n${survivorTable(judgements)}\n\n${summaryLine(summary)}`);
  if (broken.length > 0) return 2;
  return summary.percent >= Number(values.least) ? 0 : 1;
}

async function measure(copy: BuiltCopy): Promise<TestFile[]> {
  const files = await listTestFiles(copy);
  const used = files.filter((file) => {
    const name = normalize(file.slice('dist/'.length));
    return values.quick
      ? isQuick(name)
      : values['with-backends'] || !name.startsWith(NEEDS_PROGRAMS);
  });
  return measureTestFiles(copy, used, {
    cacheFile: join(CHECKOUT, '.cache', 'mutation', 'test-files.json'),
    timeoutMs: MEASURE_MS_MAX,
    signal: stop.signal,
    onProgress: (done, all, { file, passed, ms }) =>
      console.log(`${done}/${all} measured ${file}: ${passed ? 'passes' : 'fails'}, ${ms} ms`),
  });
}

function writeReport(judgements: readonly Judgement[]): void {
  if (values.json === undefined) return;
  const report = { seed: Number(values.seed), summary: summarise(judgements), judgements };
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}
