// A file that was chosen, before it is imported: what it has, how its columns are mapped, and what
// becomes of its first lines.
import { useRef, useState } from 'preact/hooks';
import { bytesText } from '../../../model/amount.ts';
import type { ImportMap } from '../../../model/import-map.ts';
import { KINDS } from '../../../model/kinds.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { LoadNotice } from '../../../ui/notice.tsx';
import { FilterSelect } from '../../../ui/table/filter-fields.tsx';
import { useLoad } from '../../../ui/use-load.ts';
import { useUnsaved } from '../../../ui/use-unsaved.ts';
import {
  type ImportForm,
  type ImportPreview,
  type ImportTarget,
  isCsv,
  previewImport,
} from './imports-api.ts';
import { LineNotes } from './line-notes.tsx';
import { MapFile } from './map-file.tsx';
import { MappingTable } from './mapping-table.tsx';
import { PreviewTable } from './preview-table.tsx';

/** Characters of a map that fit the address of a request. */
const MAP_CHARACTERS_MAX = 12_000;

type Choices = readonly (readonly [value: string, label: string])[];

const SEPARATORS: Choices = [
  ['', 'Automatic'],
  [',', 'Comma'],
  [';', 'Semicolon'],
  ['tab', 'Tab'],
  ['|', 'Bar'],
];
const ENCODINGS: Choices = [
  ['', 'Automatic (UTF-8)'],
  ['windows-1252', 'Windows-1252 (Excel “CSV”)'],
  ['utf-16le', 'UTF-16'],
  ['iso-8859-15', 'ISO 8859-15'],
];

export interface ChosenFileProps {
  readonly file: File;
  /** What it is taken for. */
  readonly first: ImportTarget;
  readonly onImport: (form: ImportForm) => void;
  readonly onCancel: () => void;
}

export function ChosenFile({ file, first, onImport, onCancel }: ChosenFileProps) {
  const isTable = isCsv(file);
  const [form, setForm] = useState<ImportForm>({
    ...{ target: first, separator: '', encoding: '', map: null },
  });
  const { value, fault, reload, loading } = useLoad(JSON.stringify(form), (signal) =>
    previewImport(file, form, signal),
  );
  useUnsaved(form.map !== null);
  const actions = useRef<HTMLDivElement>(null);
  // What else than the map changes has another suggestion.
  const change = (changed: Partial<ImportForm>) => setForm({ ...form, map: null, ...changed });
  const map = form.map ?? value?.map ?? null;
  const isLong = encodeURIComponent(JSON.stringify(map)).length > MAP_CHARACTERS_MAX;
  const isReady = value !== undefined && fault === null && !loading && value.rows.length > 0;
  return (
    <>
      <p class="import-name">
        <strong dir="auto">{file.name}</strong> <span class="quiet">{bytesText(file.size)}</span>
      </p>
      <div class="filters">
        <FilterSelect
          label="Import as"
          value={form.target}
          choices={targets(isTable)}
          onValue={(target) => change({ target: target as ImportTarget })}
        />
        {isTable && (
          <>
            <FilterSelect
              label="Separator"
              value={form.separator}
              choices={SEPARATORS}
              onValue={(separator) => change({ separator })}
            />
            <FilterSelect
              label="Encoding"
              value={form.encoding}
              choices={ENCODINGS}
              onValue={(encoding) => change({ encoding })}
            />
          </>
        )}
      </div>
      <LoadNotice value={value} fault={fault} reload={reload} label="Reading the file" />
      {value !== undefined && (
        <div class="import-form stale-frame" data-stale={loading}>
          {isTable && map !== null && value.columns.length > 0 && (
            <>
              <button
                type="button"
                class="skip"
                onClick={() => actions.current?.querySelector('button')?.focus()}
              >
                Skip to Import
              </button>
              <MappingTable
                target={form.target}
                preview={value}
                map={map}
                onMap={(changed) => setForm({ ...form, map: changed })}
              />
            </>
          )}
          {fault === null && <Checked preview={value} isSuggested={form.map === null} />}
        </div>
      )}
      {isLong && (
        <p class="notice notice-plain">
          The map is too long for the console. Save it, and use <code>cardea import --map</code>.
        </p>
      )}
      <div class="buttons" ref={actions}>
        <Button
          class="button button-main"
          isIdle={!isReady || isLong}
          onClick={() => onImport({ ...form, map })}
        >
          Import
        </Button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        {isTable && (
          <MapFile
            name={file.name}
            map={map}
            onMap={(loaded) => change({ map: loaded, ...targetOf(loaded, form) })}
          />
        )}
      </div>
    </>
  );
}

/** What the first lines become, and what does not fit. */
function Checked({ preview, isSuggested }: { preview: ImportPreview; isSuggested: boolean }) {
  const { rows, checked, faults, warnings, missing } = preview;
  return (
    <>
      {isSuggested && missing.map((one) => <p key={one}>{`Missing: ${one}`}</p>)}
      <p role="status">{verdictText(preview)}</p>
      <LineNotes label="Does not fit" notes={faults} />
      <LineNotes label="Warnings" notes={warnings} />
      {rows.length > 0 && <PreviewTable rows={rows} isAll={checked <= rows.length} />}
    </>
  );
}

function verdictText({ checked, rows, faults }: ImportPreview): string {
  if (checked === 0 && faults.length === 0) return 'The file has no rows.';
  if (faults.length === 0) {
    return checked === 1
      ? 'The first line fits.'
      : `The first ${checked.toLocaleString('en')} lines fit.`;
  }
  if (rows.length === 0) return 'No line can be imported yet.';
  return 'Lines that do not fit are left out; the others are imported.';
}

function targets(isTable: boolean): Choices {
  const users = ['auth-users', 'Auth users'] as const;
  if (!isTable) return [['documents', 'Documents'], users];
  return [...KINDS.map(({ index, plural }) => [index, plural] as const), users];
}

/** A map says what it is for. */
function targetOf({ index }: ImportMap, { target }: ImportForm): Pick<ImportForm, 'target'> {
  const kind = KINDS.find((one) => one.index === index);
  return { target: kind?.index ?? target };
}
