// Prints the result of a run or of a comparison, for people or as JSON.
import type { RunReport, Verification } from '../../compose/mirror.ts';
import type { Context } from '../common/context.ts';
import { grouped } from '../common/terminal.ts';

/** Prints what a run did. @param run.documents how many it read */
export function printRun(
  report: RunReport,
  { tenant, json, documents }: { tenant: string; json: boolean; documents: number },
  { terminal }: Context,
): void {
  const seconds = (Date.parse(report.ended) - Date.parse(report.began)) / 1_000;
  const perSecond = Math.round(documents / Math.max(seconds, 0.001));
  if (json) {
    terminal.printJson({ tenant, ...report, documents, documentsPerSecond: perSecond });
    return;
  }
  for (const fault of report.faults) terminal.note(`error: ${fault}`);
  const { created, updated, unchanged, deleted, refused } = report.counts;
  const counts = [
    `${grouped(created)} created, ${grouped(updated)} updated, ${grouped(unchanged)} unchanged, `,
    `${grouped(deleted)} deleted, ${grouped(refused)} refused`,
  ].join('');
  terminal.print(
    `${tenant}: ${counts}; ${grouped(documents)} documents read, ${grouped(perSecond)}/s.`,
  );
  if (report.outcome === 'stopped') {
    terminal.note('Stopped on request; the next run continues here.');
  }
  for (const { part, count, id, reason } of report.refused) {
    terminal.note(`refused: ${grouped(count)} of ${part}, such as ${id}: ${reason}`);
  }
  if (refused > 0) terminal.note('cardea mirror --status shows what was refused, and why.');
}

/** Prints a comparison. @returns true if there is no difference */
export function printVerification(
  result: Verification,
  { json }: { readonly json: boolean },
  { terminal }: Context,
): boolean {
  const { parts, differences, differing } = result;
  const isEqual = differing === 0 && parts.every(({ here, there }) => here === there);
  if (json) {
    terminal.printJson({ equal: isEqual, ...result });
    return isEqual;
  }
  for (const { part, here, there, compared } of parts) {
    const sign = here === there ? '=' : '≠';
    terminal.print(
      `${part}: ${grouped(here)} here ${sign} ${grouped(there)} there, ${grouped(compared)} compared`,
    );
  }
  for (const { part, id, field, here, there } of differences) {
    const place = field === '' ? `${part} ${id}` : `${part} ${id} ${field}`;
    terminal.print(`${place}: here ${here ?? 'absent'}, there ${there ?? 'absent'}`);
  }
  if (differing > differences.length) {
    terminal.print(`… and ${grouped(differing - differences.length)} more differences.`);
  }
  terminal.print(isEqual ? 'No differences.' : 'The mirror differs from the remote tenant.');
  return isEqual;
}
