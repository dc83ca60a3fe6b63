// A target of a plan together with a snapshot of the segments it runs on.
import type { IndexSegments } from '../../../engine/index/query-cache.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { Target } from '../../../query/plan.ts';

/** A target of a plan, with its mapping and segments. */
export interface OpenTarget extends Target {
  readonly mapping: Mapping;
  readonly snapshot: IndexSegments;
}
