// Explains how one document matches a plan, in small steps.

import { hasScores } from '../../../engine/hits/multi-search.ts';
import { findRow } from '../../../engine/index/segment-list.ts';
import { explainRow } from '../../../engine/matching/explanation.ts';
import type { Plan } from '../../../query/plan.ts';
import type { DocumentExplanation } from '../../../query/plan-clause.ts';
import type { DocumentKey } from '../../../service/ports/search-backend.ts';
import type { OpenTarget } from './open-target.ts';

/** Null if the index of the plan does not have the document. */
export function* explainSteps(
  targets: readonly OpenTarget[],
  plan: Plan,
  { index, id }: DocumentKey,
): Generator<void, DocumentExplanation | null> {
  const target = targets.find((one) => one.index === index);
  if (target === undefined) return null;
  const place = findRow(target.snapshot.views, id);
  if (place === null) return null;
  return yield* explainRow(target.query, target.snapshot, place, hasScores(plan.targets, plan));
}
