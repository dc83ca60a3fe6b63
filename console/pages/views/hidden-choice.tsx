// The fields that a view hides, chosen from the mappings of the types that it shows. Documents may
// have other members, too, so any name can be typed; the service refuses misspelt ones.
import { useId, useRef, useState } from 'preact/hooks';
import { KINDS } from '../../model/kinds.ts';
import { FormField } from '../../ui/form-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { requestFields } from '../search/query/use-fields.ts';
import { alikeFields, hideable, isWithin, type ViewDraft, withHidden } from './draft.ts';

export interface HiddenChoiceProps {
  readonly types: ViewDraft['types'];
  readonly hide: readonly string[];
  readonly fault: string | undefined;
  readonly onHide: (hide: readonly string[]) => void;
}

/** Most fields that are offered because a hidden one has the same name. */
const ALIKE_MAX = 8;

export function HiddenChoice({ types, hide, fault, onHide }: HiddenChoiceProps) {
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const shown = KINDS.map(({ index }) => index).filter((index) => types[index].shows !== 'nothing');
  const { value: fields = [] } = useLoad(`fields ${shown.join(' ')}`, async () => {
    const known = await Promise.all(shown.map((index) => requestFields(index)));
    return [...new Set(known.flat().map(({ path }) => path))];
  });
  const paths = hideable(fields);
  const below = (path: string) =>
    fields.filter((one) => one !== path && isWithin(one, path)).length;
  const alike = alikeFields(fields, hide).slice(0, ALIKE_MAX);
  /** The chosen button goes away, so the focus moves to the field. */
  const choose = (names: readonly string[]) => {
    onHide(names);
    field.current?.focus();
  };
  const add = () => {
    const path = typed.trim();
    if (path === '') return;
    onHide(withHidden(hide, path));
    setTyped('');
  };
  return (
    <section class="view-hidden" aria-label="Hidden fields">
      <h2>Hidden fields</h2>
      <div class="view-hide">
        <FormField
          label="Field to hide"
          hint="Everything below it is hidden, too, such as the attributes of accounts"
          fault={fault}
        >
          {(control) => (
            <input
              {...control}
              ref={field}
              list={list}
              autoComplete="off"
              autoCapitalize="off"
              spellcheck={false}
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                // Enter would save the view.
                event.preventDefault();
                add();
              }}
            />
          )}
        </FormField>
        <datalist id={list}>
          {paths
            .filter((path) => !hide.some((one) => isWithin(path, one)))
            .map((path) => (
              <option key={path} value={path}>
                {below(path) > 0 ? `with ${below(path)} fields` : ''}
              </option>
            ))}
        </datalist>
        <button type="button" class="button" onClick={add}>
          <Icon name="exclude" size={16} /> Hide
        </button>
      </div>
      {hide.length > 0 && (
        <ul class="chips" aria-label="Hidden">
          {hide.map((path) => (
            <li key={path}>
              <button
                type="button"
                class="chip chip-not"
                title="Show it again"
                onClick={() => choose(hide.filter((one) => one !== path))}
              >
                <span class="unseen">Show again: </span>
                {path}
                {below(path) > 0 && ` and ${below(path)} below`} <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {alike.length > 0 && (
        <div class="view-alike">
          <p class="quiet">Visible, and called like a hidden field. Hide, too?</p>
          <ul class="chips" aria-label="Called like a hidden field">
            {alike.map((path) => (
              <li key={path}>
                <button type="button" class="chip" onClick={() => choose(withHidden(hide, path))}>
                  <span class="unseen">Hide: </span>
                  {path} <Icon name="exclude" size={12} />
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
