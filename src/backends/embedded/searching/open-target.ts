// What a query runs over: a target of the plan and the segments of one moment.
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { Target } from '../../../query/plan.ts';
import type { Snapshot } from '../embedded-index.ts';

/** A target of a plan with the segments it is asked of. */
export interface OpenTarget extends Target {
  readonly mapping: Mapping;
  readonly snapshot: Snapshot;
}
