// What an index can be asked, what is found, in whichever thread, and what is answered. Only a search differs in the two:
// the documents that it found are still to be read.
// Invariant: a question is plain JSON, so that it can go to another thread as text.
import type {
  DocumentKey,
  SearchResult,
  TypeaheadResult,
} from '../../../identity/ports/search-backend.ts';
import type { DocumentExplanation } from '../../../query/explain/plan-clause.ts';
import type { Plan } from '../../../query/plan.ts';
import { explainSteps } from './explain-steps.ts';
import type { FoundPage } from './found-page.ts';
import type { OpenTarget } from './open-target.ts';
import { countSteps, findSteps, typeaheadSteps } from './query-steps.ts';

export type Question =
  | { readonly kind: 'search'; readonly plan: Plan }
  | { readonly kind: 'typeahead'; readonly plan: Plan }
  | { readonly kind: 'count'; readonly plan: Plan }
  | { readonly kind: 'explain'; readonly plan: Plan; readonly document: DocumentKey };

/** By the kind of the question. */
export type Finding =
  | { readonly kind: 'search'; readonly page: FoundPage }
  | { readonly kind: 'typeahead'; readonly answer: TypeaheadResult }
  | { readonly kind: 'count'; readonly answer: number }
  | { readonly kind: 'explain'; readonly answer: DocumentExplanation | null };

/** By the kind of the question. */
export interface Answers {
  readonly search: SearchResult;
  readonly typeahead: TypeaheadResult;
  readonly count: number;
  readonly explain: DocumentExplanation | null;
}

export type Answer = Answers[keyof Answers];

/** The work, in small steps. Throws what the engine throws. */
export function* findingSteps(
  question: Question,
  targets: readonly OpenTarget[],
): Generator<void, Finding> {
  const { kind, plan } = question;
  switch (kind) {
    case 'search':
      return { kind, page: yield* findSteps(targets, plan) };
    case 'typeahead':
      return { kind, answer: yield* typeaheadSteps(targets, plan) };
    case 'count':
      return { kind, answer: yield* countSteps(targets) };
    case 'explain':
      return { kind, answer: yield* explainSteps(targets, plan, question.document) };
  }
}
