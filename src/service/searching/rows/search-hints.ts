// Hints of a search that is answered, and yet may not do what its sender expects: what nothing reads
// of its body and URL, and pages that lose documents. Those on the query text come with its plan.
import { misplacedMembers } from '../../../query/mapping/misplaced-members.ts';
import type { Plan } from '../../../query/plan.ts';
import type { SearchParameters } from '../../../query/requests/page.ts';
import type { Warning } from '../../../query/requests/unknown-names.ts';

/** The text of a warning for a person. */
export type Hint = Pick<Warning, 'text'>;

/**
 * `warnings` with the hints of a search.
 * @param body the object that was planned
 * @param plan null for a count, which has no pages
 * @param parameters of the URL
 */
export function withHints(
  warnings: readonly Hint[],
  body: unknown,
  plan: Pick<Plan, 'sort' | 'searchAfter'> | null,
  parameters: SearchParameters = {},
): readonly Hint[] {
  const misplaced = misplacedMembers(body);
  const hints =
    plan === null
      ? misplaced.filter(({ ofPages }) => !ofPages)
      : [...misplaced, ...overridden(body, parameters)];
  const all = hints.length === 0 ? warnings : [...warnings, ...hints];
  if (plan?.searchAfter === undefined || plan.sort.some(({ field }) => field === 'id')) return all;
  return [...all, tiesLost(plan)];
}

/** `limit` and `offset` of a body whose URL has others. */
function overridden(body: unknown, parameters: SearchParameters): Hint[] {
  return (['limit', 'offset'] as const).flatMap((name) => {
    const inUrl = parameters[name];
    const inBody = (body as Readonly<Record<string, unknown>> | null)?.[name] ?? null;
    if (inUrl === undefined || inBody === null || String(inBody) === inUrl) return [];
    return [{ text: `"${name}" in the body is not read, as the URL has ${name}=${inUrl}` }];
  });
}

function tiesLost({ sort }: Pick<Plan, 'sort'>): Hint {
  const keys = sort.map(({ field, order, type }) =>
    order === 'desc' && type !== 'score' ? `-${field}` : field,
  );
  const mend = JSON.stringify([...keys, 'id']);
  const fields = sort.map(({ field }) => field).join(', ');
  return {
    text: `Documents with the same ${fields} as the last one of a page are lost between pages: sort by ${mend}, and send the values of both in searchAfter`,
  };
}
