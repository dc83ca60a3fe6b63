// Reads workloads/*.json: the requests to each system, the values that vary, and the ratio we aim
// at. In strings, `$value` is the next of `values` and `$n` a number that never repeats; `$limit`,
// `$fields` and `$n` as whole strings are replaced by their values.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, type HttpRequest, wireRequest } from './client.ts';

export type SystemName = 'cardea' | 'opensearch';

export interface Workload {
  readonly name: string;
  /**
   * The cells with their aims, null for none: numbers are page sizes, `uncached` varies `$n`,
   * `repeated` does not, `once` has neither.
   */
  readonly atLeast: Readonly<Record<string, number | null>>;
  /** `ids`: ids of identities of the corpus. */
  readonly values?: readonly string[] | 'ids';
  readonly cardea: HttpRequest;
  readonly opensearch: HttpRequest;
}

interface WorkloadFile {
  readonly fields?: readonly string[];
  readonly workloads: readonly Workload[];
}

/** One workload in one of its cells. */
export interface Cell {
  readonly workload: Workload;
  readonly label: string;
  /** The ratio of requests per second that we aim at. */
  readonly atLeast: number | null;
  /** True if its p50 must be at most a fifth of OpenSearch's. */
  readonly isLargePage: boolean;
  /** Encoded requests to cycle through. */
  requests(to: Address, system: SystemName): Buffer[];
  /** One request, to check its response. */
  sample(system: SystemName): HttpRequest;
}

/** More than a cache of responses would hold. */
const VARIANTS = 8_000;
/** The first `$n`, large enough for the size of an aggregation. */
const FIRST_N = 32;
const LARGE_PAGE = 250;

/** The cells whose name contains `part`, in the order of the files. */
export function readCells(folder: string, part: string, ids: readonly string[]): Cell[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const file = JSON.parse(readFileSync(join(folder, name), 'utf8')) as WorkloadFile;
      return file.workloads.flatMap((workload) => cellsOf(workload, file.fields ?? [], ids));
    })
    .filter(({ workload, label }) => `${workload.name}, ${label}`.includes(part));
}

function cellsOf(
  workload: Workload,
  fields: readonly string[],
  ids: readonly string[],
): readonly Cell[] {
  const values = workload.values === 'ids' ? ids : (workload.values ?? ['']);
  return Object.entries(workload.atLeast).map(([label, atLeast]) => {
    const varies = label === 'uncached';
    const filled = (system: SystemName, at: number): HttpRequest =>
      fill(workload[system], {
        $limit: Number(label),
        $fields: fields,
        $value: values[at % values.length] ?? '',
        $cache: String(!varies),
        $n: varies ? FIRST_N + at : FIRST_N,
      }) as HttpRequest;
    const count = varies ? VARIANTS : values.length;
    return {
      workload,
      label,
      atLeast,
      isLargePage: Number(label) === LARGE_PAGE,
      requests: (to, system) =>
        Array.from({ length: count }, (_, at) => wireRequest(to, filled(system, at))),
      sample: (system) => filled(system, 0),
    };
  });
}

type Meanings = Readonly<Record<string, unknown>>;

/** Copies a template with its placeholders replaced. */
function fill(template: unknown, meanings: Meanings): unknown {
  if (typeof template === 'string') {
    return Object.hasOwn(meanings, template) ? meanings[template] : fillText(template, meanings);
  }
  if (Array.isArray(template)) return template.map((one) => fill(one, meanings));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => [
      fillText(name, meanings),
      fill(value, meanings),
    ]),
  );
}

function fillText(text: string, meanings: Meanings): string {
  return text.replace(/\$(limit|value|cache|n\b)/g, (name) => String(meanings[name]));
}
