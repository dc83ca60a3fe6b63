// Formats the results of a mutation run.
import type { Judgement } from './judgement.ts';

export type Summary = {
  readonly judged: number;
  readonly caught: number;
  /** Number of caught mutations that made a test hang. */
  readonly timeouts: number;
  /** Number of caught mutations that only the compiler refuses. */
  readonly refused: number;
  readonly survived: number;
  /** Number of survivors that no test executes. */
  readonly notExecuted: number;
  /** Percentage of caught mutations, rounded down to a tenth. */
  readonly percent: number;
};

export function summarise(judgements: readonly Judgement[]): Summary {
  const count = (verdict: Judgement['verdict']): number =>
    judgements.filter((each) => each.verdict === verdict).length;
  const timeouts = count('timeout');
  const refused = count('refused');
  const caught = count('caught') + timeouts + refused;
  const judged = judgements.length;
  return {
    judged,
    caught,
    timeouts,
    refused,
    survived: judged - caught,
    notExecuted: count('not executed'),
    percent: judged === 0 ? 0 : Math.floor((caught / judged) * 1000) / 10,
  };
}

export function isCaught({ verdict }: Judgement): boolean {
  return verdict === 'caught' || verdict === 'timeout' || verdict === 'refused';
}

/** `12/200 caught src/query/language/lexer.ts:40 comparison (query/lexer.test.ts, 0.4 s)` */
export function progressLine(judgement: Judgement, done: number, all: number): string {
  const { candidate, verdict, by, run, ms } = judgement;
  const tests = by === null ? `${run} test files` : sourceOf(by);
  const seconds = (ms / 1000).toFixed(1);
  return `${done}/${all} ${verdict} ${candidate.source}:${candidate.line} ${candidate.mutator} (${tests}, ${seconds} s)`;
}

/** One paragraph for each survivor, sorted by position. */
export function survivorTable(judgements: readonly Judgement[]): string {
  return judgements
    .filter((each) => !isCaught(each))
    .sort(
      (a, b) =>
        compare(a.candidate.source, b.candidate.source) || a.candidate.line - b.candidate.line,
    )
    .map(({ candidate, run, reaching }) => {
      const tests =
        reaching === 0 ? 'no test executes it' : `${run} of ${reaching} test files that execute it`;
      return [
        `${candidate.source}:${candidate.line} ${candidate.mutator}, ${tests}`,
        `  - ${candidate.before}`,
        `  + ${candidate.after}`,
      ].join('\n');
    })
    .join('\n');
}

export function summaryLine(summary: Summary): string {
  const { judged, caught, timeouts, refused, survived, notExecuted, percent } = summary;
  return (
    `${caught} of ${judged} mutations caught (${percent} %), ${timeouts} of them by a timeout, ${refused} by the compiler; ` +
    `${survived} survived, ${notExecuted} of them in lines that no test executes`
  );
}

function sourceOf(file: string): string {
  return file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
