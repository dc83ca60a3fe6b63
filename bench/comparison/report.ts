// Writes the results of a run as Markdown.
import { holdLines } from '../hold.ts';
import { REPEATED_QUESTIONS } from './cell.ts';
import type { Results, ServiceFigures } from './results.ts';
import type { SideName } from './side.ts';
import { cellTable, grouped, meansTable, type Reference, row, SIDE_LABELS } from './tables.ts';
import { verdicts } from './targets.ts';

export function markdownReport(results: Results): string {
  const { documents, bytes, cells, lightRequests, holds, ceilings } = results;
  const sides = cells[0]?.sides ?? {};
  const references: readonly Reference[] = [
    ...(sides.opensearch === undefined ? [] : (['opensearch'] as const)),
    ...(sides.baseline === undefined ? [] : (['baseline'] as const)),
  ];
  return [
    `# ${grouped(documents)} documents`,
    '',
    ...results.about.map((line) => `- ${line}`),
    `- ${(bytes / 2 ** 20).toFixed(0)} MiB of JSON, ${(bytes / documents / 1000).toFixed(1)} KB each`,
    `- other programs took ${(results.othersShare * 100).toFixed(0)} % of the machine during the cells`,
    ...(results.backend === 'opensearch' ? importLines(results) : []),
    ...(results.isProfiled
      ? ['- **profiled: the figures of Cardea are those of a slower one**']
      : []),
    '',
    ...verdictTable(results),
    ...(references.length === 0 ? [null] : references).flatMap((reference) => [
      ...meansSection(results, reference),
      ...cellSection(results, reference),
    ]),
    ...serviceTable(results),
    ...(lightRequests === null
      ? []
      : [
          `GET /health every 5 ms beside one heavy aggregation a second: p50 ${lightRequests.p50Ms.toFixed(2)}, p99 ` +
            `${lightRequests.p99Ms.toFixed(2)}, longest ${lightRequests.longestMs.toFixed(2)} ms ` +
            `(the aggregation: ${lightRequests.heavyMs.toFixed(2)} ms).`,
          '',
        ]),
    ...(holds === null ? [] : ['```', ...holdLines(holds), '```', '']),
    ...Object.entries(ceilings).map(
      ([name, perSecond]) =>
        `${name} alone, 1 KB POST, 8 connections: ${grouped(perSecond)} req/s.`,
    ),
    '',
  ].join('\n');
}

function importLines({ imports = {} }: Results): string[] {
  return Object.entries(imports).map(
    ([
      name,
      {
        import: { seconds, cpuSeconds },
        disk,
      },
    ]) =>
      `- ${SIDE_LABELS[name as SideName]}: import ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s; index ${disk.indexMib.toFixed(0)} MiB after the merge`,
  );
}

function verdictTable(results: Results): string[] {
  const all = verdicts(results);
  if (all.length === 0) return [];
  return [
    '## Targets',
    '',
    row(['Target', 'measured', '']),
    row(['---', '---', '---']),
    ...all.map(({ target, measured, isMet }) =>
      row([target, measured, isMet ? 'met' : '**missed**']),
    ),
    '',
  ];
}

function meansSection({ cells }: Results, reference: Reference): string[] {
  if (reference === null) return [];
  return [
    `## Beside ${beside(reference)}`,
    '',
    'Ratios above 1 are in favour of Cardea.',
    '',
    ...meansTable(cells, reference),
    '',
  ];
}

function cellSection({ cells, backend = 'embedded' }: Results, reference: Reference): string[] {
  return [
    '### Different questions: none is asked twice in the run',
    '',
    ...cellTable(cells, 'different', reference, backend),
    '',
    `### Repeated questions: the same ${REPEATED_QUESTIONS} over and over`,
    '',
    ...cellTable(cells, 'repeated', reference, backend),
    '',
  ];
}

function beside(reference: SideName): string {
  return reference === 'baseline' ? 'an earlier build' : SIDE_LABELS[reference];
}

function serviceTable({ services, documents, bytes }: Results): string[] {
  const names = (['cardea', 'baseline', 'opensearch'] as const).filter(
    (name) => services[name] !== undefined,
  );
  if (names.length === 0) return [];
  const line = (label: string, text: (figures: ServiceFigures) => string) =>
    row([
      label,
      ...names.map((name) => {
        const figures = services[name];
        return figures === undefined ? '' : text(figures);
      }),
    ]);
  const ofRaw = (mib: number) =>
    `${mib.toFixed(0)} MiB (${((mib * 2 ** 20) / bytes).toFixed(2)} × raw)`;
  return [
    '## The service',
    '',
    row(['', ...names.map((name) => SIDE_LABELS[name])]),
    row(['---', ...names.map(() => '---')]),
    line('import, durable on Cardea', (figures) => {
      return `${grouped(documents / figures.import.seconds)} documents/s`;
    }),
    line('CPU of 1,000 imported documents', (figures) => {
      return `${((figures.import.cpuSeconds * 1000) / documents).toFixed(2)} s`;
    }),
    line('first search after the import', ({ firstSearchMs }) => `${firstSearchMs.toFixed(1)} ms`),
    line('merges over after', ({ mergesSeconds }) => `${mergesSeconds.toFixed(1)} s`),
    line('searches until then, p50 / p99', ({ meanwhile }) => {
      return `${meanwhile.p50Ms.toFixed(2)} / ${meanwhile.p99Ms.toFixed(2)} ms`;
    }),
    line('disk: store', ({ disk }) => (disk.storeMib === 0 ? '-' : ofRaw(disk.storeMib))),
    line('disk: index', ({ disk }) => ofRaw(disk.indexMib)),
    line('disk: both', ({ disk }) => ofRaw(disk.storeMib + disk.indexMib)),
    line('start to first search', ({ startSeconds }) => `${startSeconds.toFixed(2)} s`),
    line('start without documents', ({ emptyStart }) => {
      return `${emptyStart.seconds.toFixed(2)} s, CPU ${emptyStart.cpuSeconds.toFixed(2)} s`;
    }),
    line('resident memory after the cells', ({ residentMib }) => `${residentMib.toFixed(0)} MiB`),
    '',
  ];
}
