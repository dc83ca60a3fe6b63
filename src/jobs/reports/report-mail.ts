// The e-mail about a run: counts and links, and, where the owner has chosen to display the query
// details, the query, the first rows and the CSV. Plain text, so there is nothing to escape.
import { fileNameOf, nameOf, nounOf, resultsPath } from './completion.ts';
import type { Mail } from './mail-sender.ts';
import type { RunReport } from './run-report.ts';

const MAX_SUBJECT_NAME = 120;

export function reportMail(
  report: RunReport,
  { to, id, baseUrl }: { readonly to: string; readonly id: string; baseUrl(): string | null },
): Mail {
  const { run, search, schedule, completion, files, tenant } = report;
  const name = shortened(nameOf(search));
  const total = run.results.reduce((sum, { count }) => sum + count, 0);
  const lines = [
    `The saved search "${name}" of ${completion.ownerName} (${tenant.name}) has found ${results(total)}.`,
    '',
    ...run.results.map(({ type, count, rows }) => {
      const cut = rows < count ? ` (the CSV has the first ${rows})` : '';
      return `${nounOf(type)}: ${count}${cut}\n  ${baseUrl() ?? ''}${resultsPath(run, type)}`;
    }),
    '',
    ...(run.displayQueryDetails ? details(report) : []),
    `Run ${run.id}${run.due === null ? ', on request' : `, due ${run.due}`}.`,
    ...(schedule === null ? [] : [`${subscription(report)}`]),
  ];
  return {
    ...{ id, to, subject: `Saved search "${name}": ${results(total)}` },
    text: lines.join('\n'),
    attachments: files.map(({ type, content }) => {
      const filename = files.length === 1 ? fileNameOf(search) : `${type}-${fileNameOf(search)}`;
      return { filename, content, contentType: 'text/csv; charset=utf-8' };
    }),
  };
}

function results(total: number): string {
  return total === 1 ? '1 result' : `${total} results`;
}

function details({ run, search }: RunReport): string[] {
  const previews = run.results
    .filter(({ count }) => count > 0)
    .flatMap(({ type, preview }) => [
      `The first ${nounOf(type)}:`,
      ...preview.map((cells) => `  ${cells.join(' | ').replaceAll(/\s+/g, ' ')}`),
      '',
    ]);
  return [`Query: ${search.query}`, '', ...previews];
}

function subscription({ schedule, completion }: RunReport): string {
  const name = schedule?.name ?? schedule?.id;
  return `You are a recipient of the scheduled search "${name}"; ${completion.ownerName} can remove you.`;
}

function shortened(name: string): string {
  const text = name.replaceAll(/\s+/g, ' ');
  return text.length > MAX_SUBJECT_NAME ? `${text.slice(0, MAX_SUBJECT_NAME)}…` : text;
}
