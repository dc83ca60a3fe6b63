// The results of a run, as they are written to JSON: everything that the Markdown report shows.
import type { Holds } from '../hold.ts';
import type { ImportFigures } from './after-import.ts';
import type { CellResult } from './cell.ts';
import type { SideName, Timed } from './side.ts';

/** Figures of one side besides those of cells. */
export interface ServiceFigures extends ImportFigures {
  /** The start with no documents. */
  readonly emptyStart: Timed;
  /** From the start of the process, with all documents, to the first answer. */
  readonly startSeconds: number;
  /** After the cells. */
  readonly residentMib: number;
}

/** GET /health beside heavy aggregations. */
export interface LightRequests {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Median of the heavy requests. */
  readonly heavyMs: number;
}

/** What Cardea searches in. */
export type Backend = 'embedded' | 'opensearch';

export interface Results {
  /** Missing in results before 2026-11-23, which are of the embedded engine. */
  readonly backend?: Backend;
  /** Machine, date, commit and flags, one line each. */
  readonly about: readonly string[];
  readonly documents: number;
  /** Bytes of the corpus as JSON. */
  readonly bytes: number;
  /** True if a profiler slowed Cardea. */
  readonly isProfiled: boolean;
  readonly cells: readonly CellResult[];
  /** Imports of each side; missing in results before 2026-11-28. */
  readonly imports?: Readonly<Partial<Record<SideName, ImportFigures>>>;
  /** Empty if only some cells were measured, and on OpenSearch. */
  readonly services: Readonly<Partial<Record<SideName, ServiceFigures>>>;
  readonly lightRequests: LightRequests | null;
  readonly holds: Holds | null;
  /** Requests per second of servers that do nothing, by name. */
  readonly ceilings: Readonly<Record<string, number>>;
  /** The share of the machine's CPU that other programs used during the cells, 0 to 1. */
  readonly othersShare: number;
}
