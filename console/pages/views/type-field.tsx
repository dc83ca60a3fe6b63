// What a view shows of one type of documents, with the number of documents while it is chosen.
import { countWithWarnings } from '../../api/search-api.ts';
import type { Kind } from '../../model/kinds.ts';
import { FormField } from '../../ui/form-field.tsx';
import { useTypedWords } from '../../ui/typing/typing-pause.ts';
import { useLoad } from '../../ui/use-load.ts';
import { queryFaultOf } from '../search/query/query-fault.ts';
import type { Shows, TypeChoice } from './draft.ts';

export interface TypeFieldProps {
  readonly kind: Kind;
  readonly choice: TypeChoice;
  /** All documents of the type; null: not known yet. */
  readonly total: number | null;
  /** What the service refused about it. */
  readonly fault: string | undefined;
  readonly onChoice: (choice: TypeChoice) => void;
}

const CHOICES: readonly (readonly [shows: Shows, label: string])[] = [
  ['nothing', 'None'],
  ['everything', 'All'],
  ['query', 'Query'],
];

export function TypeField({ kind, choice, total, fault, onChoice }: TypeFieldProps) {
  const { index, plural } = kind;
  const { shows } = choice;
  const typed = useTypedWords(choice.query);
  const query = shows === 'query' ? typed : '';
  const count = useLoad(query === '' ? null : `${index} ${query}`, (signal) =>
    countWithWarnings({ indices: [index], query: { query } }, signal),
  );
  const isCurrent = count.key === `${index} ${choice.query.trim()}` && count.fault === null;
  const matching =
    shows === 'everything'
      ? total
      : shows === 'nothing'
        ? 0
        : isCurrent
          ? count.value?.total
          : null;
  return (
    <fieldset class="view-type" data-shows={shows}>
      <legend>{plural}</legend>
      <div class="choice">
        {CHOICES.map(([value, label]) => (
          <label class="choice-option" key={value}>
            <input
              type="radio"
              name={`shows-${index}`}
              checked={shows === value}
              onChange={() => onChoice({ ...choice, shows: value })}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <p class="view-count quiet" role="status">
        {countText(matching ?? null, total)}
      </p>
      {shows === 'query' && (
        <FormField
          label={`Query of ${plural.toLowerCase()}`}
          fault={fault ?? liveFault(count, query)}
        >
          {(control) => (
            <input
              {...control}
              class="view-query"
              required
              maxLength={32_768}
              autoComplete="off"
              autoCapitalize="off"
              spellcheck={false}
              placeholder={index === 'identities' ? 'attributes.department:Sales' : 'name:Sales*'}
              value={choice.query}
              onInput={({ currentTarget }) => onChoice({ ...choice, query: currentTarget.value })}
            />
          )}
        </FormField>
      )}
    </fieldset>
  );
}

/** `12 of 400`. @param matching null: not known */
function countText(matching: number | null, total: number | null): string {
  if (total === null) return '…';
  const all = total.toLocaleString('en');
  return matching === null ? `… of ${all}` : `${matching.toLocaleString('en')} of ${all}`;
}

/** What saving would refuse about a query, as far as a search tells. */
function liveFault(
  { fault, value, key }: ReturnType<typeof useLoad<{ readonly warnings: readonly string[] }>>,
  query: string,
): string | undefined {
  if (query === '') return undefined;
  if (fault === null) return key?.endsWith(` ${query}`) === true ? value?.warnings[0] : undefined;
  const syntax = queryFaultOf(fault, query);
  return syntax === null ? fault.message : `${syntax.message} (character ${syntax.offset + 1})`;
}
