// Which column is which member. A change is sent to the service when a field is left, which checks
// it and shows the first rows again.
import { useId } from 'preact/hooks';
import { arraysOf } from '../../../model/field-catalogue.ts';
import {
  type ColumnRule,
  type FormatName,
  formatText,
  type ImportMap,
  keyText,
  matchOf,
  membersOf,
  ruleOf,
  TYPES,
  withElements,
  withFormat,
  withKey,
  withMatch,
  withMember,
  withSet,
  withType,
} from '../../../model/import-map.ts';
import { kindOf, labelOf } from '../../../model/kinds.ts';
import { FilterSelect } from '../../../ui/table/filter-fields.tsx';
import { TableFrame, TableHead } from '../../../ui/table-frame.tsx';
import { useTypedText } from '../../../ui/typing/use-typed-text.ts';
import type { ImportPreview, ImportTarget } from './imports-api.ts';

const FORMATS: Readonly<Record<FormatName, { readonly label: string; readonly example: string }>> =
  {
    format: { label: 'Format', example: 'dd.MM.yyyy' },
    decimal: { label: 'Decimal character', example: '. or ,' },
    true: { label: 'Words for yes', example: 'yes, x, 1' },
    false: { label: 'Words for no', example: 'no, 0' },
    separator: { label: 'Separator', example: ';' },
  };

export interface MappingProps {
  readonly target: ImportTarget;
  readonly preview: ImportPreview;
  readonly map: ImportMap;
  readonly onMap: (map: ImportMap) => void;
}

export function MappingTable(props: MappingProps) {
  const { target, preview, map, onMap } = props;
  const names = useId();
  const prefix = map.elements === undefined ? '' : `${map.elements}.`;
  const members = preview.members.flatMap((name) =>
    name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
  );
  const { column } = matchOf(map);
  const columns = preview.columns.filter(
    ({ head }) => map.elements === undefined || head !== column,
  );
  return (
    <>
      <h3>Columns</h3>
      {target !== 'auth-users' && target !== 'documents' && <RowKind {...props} target={target} />}
      <datalist id={names}>
        {members.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TableFrame label="Columns">
        <TableHead labels={['Column', 'First values', 'Member', 'Type']} />
        <tbody>
          {columns.map(({ head, examples }) => (
            <ColumnRow
              key={head}
              head={head}
              examples={examples}
              names={names}
              map={map}
              onMap={onMap}
            />
          ))}
          {Object.entries(map.set ?? {}).map(([member, text]) => (
            <tr key={`set ${member}`}>
              <td class="quiet">Made of columns</td>
              <td>
                <Typed
                  label={`Text of ${member}`}
                  value={String(text)}
                  onValue={(typed) => onMap(withSet(map, member, typed))}
                />
              </td>
              <td>
                <code>{member}</code>
              </td>
              <td />
            </tr>
          ))}
        </tbody>
      </TableFrame>
      <p class="quiet">
        A column without a member is left out. New attributes begin with <code>attributes.</code>
      </p>
    </>
  );
}

interface ColumnRowProps extends Pick<MappingProps, 'map' | 'onMap'> {
  readonly head: string;
  readonly examples: readonly string[];
  /** The id of the list of members. */
  readonly names: string;
}

function ColumnRow({ head, examples, names, map, onMap }: ColumnRowProps) {
  const rule = ruleOf(map, head);
  return (
    <tr>
      <td class="cell-name" dir="auto">
        {head}
      </td>
      <td class="import-examples quiet" dir="auto">
        {examples.length === 0 ? '–' : examples.join(' · ').slice(0, 80)}
      </td>
      {rule === 'several' ? (
        <SeveralMembers head={head} map={map} onMap={onMap} />
      ) : (
        <>
          <td>
            <Typed
              label={`Member of ${head}`}
              value={rule?.to ?? ''}
              list={names}
              onValue={(to) => onMap(withMember(map, head, to))}
            />
          </td>
          <td>{rule !== null && <TypeFields head={head} rule={rule} map={map} onMap={onMap} />}</td>
        </>
      )}
    </tr>
  );
}

/** A column for several members, such as the status and whether somebody has left. */
function SeveralMembers({ head, map, onMap }: Pick<ColumnRowProps, 'head' | 'map' | 'onMap'>) {
  const members = membersOf(map, head);
  const first = members[0]?.to ?? '';
  return (
    <td colSpan={2}>
      {members.map(({ text }) => text).join(', ')}{' '}
      <button type="button" class="link-button" onClick={() => onMap(withMember(map, head, first))}>
        Only {first}
      </button>
    </td>
  );
}

function TypeFields({
  head,
  rule,
  map,
  onMap,
}: Pick<ColumnRowProps, 'head' | 'map' | 'onMap'> & { readonly rule: ColumnRule }) {
  const { type = '' } = rule;
  return (
    <div class="import-type">
      <select
        aria-label={`Type of ${head}`}
        value={type}
        onChange={({ currentTarget }) => onMap(withType(map, head, currentTarget.value))}
      >
        <option value="">Automatic</option>
        {Object.keys(TYPES).map((name) => (
          <option key={name} value={name}>
            {labelOf(name)}
          </option>
        ))}
      </select>
      {(TYPES[type] ?? []).map((name) => (
        <Typed
          key={name}
          label={`${FORMATS[name].label} of ${head}`}
          shown={FORMATS[name].label}
          placeholder={FORMATS[name].example}
          value={formatText(rule, name)}
          onValue={(text) => onMap(withFormat(map, head, name, text))}
        />
      ))}
    </div>
  );
}

/** Whether rows are records or elements of one, and which record that is. */
function RowKind({
  target,
  preview,
  map,
  onMap,
}: MappingProps & { readonly target: Exclude<ImportTarget, 'auth-users' | 'documents'> }) {
  const arrays = arraysOf(target);
  if (arrays.length === 0) return null;
  const { column, member } = matchOf(map);
  const { singular, plural } = kindOf(target);
  return (
    <div class="filters">
      <FilterSelect
        label="Rows are"
        value={map.elements ?? ''}
        choices={[
          ['', plural],
          ...arrays.map((path): [string, string] => [
            path,
            `${labelOf(path)} of existing ${plural.toLowerCase()}`,
          ]),
        ]}
        onValue={(elements) => onMap(withElements(map, elements))}
      />
      {map.elements !== undefined && (
        <>
          <FilterSelect
            label={`Column of the ${singular.toLowerCase()}`}
            value={column}
            choices={preview.columns.map(({ head }) => [head, head])}
            onValue={(chosen) => onMap(withMatch(map, { column: chosen }))}
          />
          <Typed
            label="Which member it has"
            shown="Which member it has"
            value={member}
            onValue={(typed) => onMap(withMatch(map, { member: typed }))}
          />
          <Typed
            label="What tells them apart"
            shown="What tells them apart"
            value={keyText(map)}
            placeholder="source.name, name"
            onValue={(typed) => onMap(withKey(map, typed))}
          />
        </>
      )}
    </div>
  );
}

interface TypedProps {
  readonly label: string;
  /** The label that is seen, a part of `label`; undefined where the head of the column is. */
  readonly shown?: string;
  readonly value: string;
  /** Called when the field is left, or at Enter, with what was typed. */
  readonly onValue: (value: string) => void;
  readonly list?: string;
  readonly placeholder?: string;
}

function Typed({ label, shown, value, onValue, list, placeholder }: TypedProps) {
  const [typed, setTyped] = useTypedText(value);
  const input = (
    <input
      type="text"
      value={typed}
      autoComplete="off"
      spellcheck={false}
      dir="auto"
      aria-label={label}
      {...(list !== undefined && { list })}
      {...(placeholder !== undefined && { placeholder })}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => onValue(currentTarget.value.trim())}
    />
  );
  if (shown === undefined) return input;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is inside
    <label class="field">
      <span>{shown}</span>
      {input}
    </label>
  );
}
