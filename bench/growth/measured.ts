// What the committed results say about OpenSearch: bytes of an index for each document, and the CPU
// of a question at two sizes.
import { readFileSync } from 'node:fs';
import type { Results } from '../comparison/results.ts';
import type { Slopes } from './shards.ts';

/** The members of a result that are read here. */
export type MeasuredAt = Pick<Results, 'documents' | 'cells' | 'services'>;

export interface Surcharge {
  /** Size of the index that Cardea makes, as a multiple of the index that a user would make. */
  readonly index: number;
  /** CPU of a question in Cardea and the store, in seconds. */
  readonly questionSeconds: number;
  /** CPU of a written document in all parts, in seconds. */
  readonly writeSeconds: number;
}

export function readResults(file: string): MeasuredAt {
  return JSON.parse(readFileSync(file, 'utf8')) as MeasuredAt;
}

/**
 * Draws a line through two sizes.
 * @throws Error if a result has no figures of OpenSearch
 */
export function slopesOf(small: MeasuredAt, large: MeasuredAt, surcharge: Surcharge): Slopes {
  const names = new Set(small.cells.map(nameOf));
  const common = large.cells.map(nameOf).filter((name) => names.has(name));
  const [few, many] = [meanCpu(small, common), meanCpu(large, common)];
  const perDocument = (many - few) / (large.documents - small.documents);
  const indexMib = large.services.opensearch?.disk.indexMib;
  if (indexMib === undefined) throw new Error('The larger result has no OpenSearch');
  return {
    bytesPerDocument: (indexMib * 2 ** 20 * surcharge.index) / large.documents,
    questionSeconds: Math.max(0, few - perDocument * small.documents) + surcharge.questionSeconds,
    questionSecondsPerMillion: perDocument * 1_000_000,
    writeSeconds: surcharge.writeSeconds,
  };
}

type Cell = MeasuredAt['cells'][number];

function nameOf({ name, size }: Cell): string {
  return `${name} ${size}`;
}

/** CPU of a question in OpenSearch in seconds, the mean over cells. */
function meanCpu({ cells }: MeasuredAt, names: readonly string[]): number {
  const counted = cells.filter((cell) => names.includes(nameOf(cell)));
  const sum = counted.reduce((total, { name, sides }) => {
    if (sides.opensearch === undefined) throw new Error(`"${name}" was not put to OpenSearch`);
    return total + sides.opensearch.different.cpuMs;
  }, 0);
  return sum / counted.length / 1000;
}
