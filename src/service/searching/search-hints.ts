// Hints of a search that is answered, and yet may not do what its sender expects: what the body has
// in the wrong place, and pages that lose documents.
import type { Warning } from '../../query/mapping/unknown-names.ts';
import type { Plan } from '../../query/plan.ts';

/** The text of a warning for a person. */
export type Hint = Pick<Warning, 'text'>;

/** Parameters of the URL that a guide shows as members of the body, with an example of each. */
const URL_PARAMETERS = { limit: '250', offset: '0', count: 'true' } as const;

/** `warnings` with the hints of a search. @param body the object that was planned */
export function withHints(
  warnings: readonly Hint[],
  body: unknown,
  plan: Pick<Plan, 'sort' | 'searchAfter'>,
): readonly Hint[] {
  const members = body as object;
  let hints = warnings;
  if ('limit' in members || 'offset' in members || 'count' in members) {
    hints = [...hints, misplacedParameters(members)];
  }
  if (plan.searchAfter !== undefined && !plan.sort.some(({ field }) => field === 'id')) {
    hints = [...hints, tiesLost(plan)];
  }
  return hints;
}

function misplacedParameters(members: object): Hint {
  const names = Object.entries(URL_PARAMETERS).filter(([name]) => Object.hasOwn(members, name));
  const quoted = names.map(([name]) => `"${name}"`).join(', ');
  const query = names.map(([name, value]) => `${name}=${value}`).join('&');
  return { text: `${quoted} in the body is not read; send it in the URL, such as ?${query}` };
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
