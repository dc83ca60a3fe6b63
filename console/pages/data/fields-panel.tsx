// The dynamic fields of a document type, with what documents have, for administrators, who set their kinds.
import { useState } from 'preact/hooks';
import { staticMapping } from '../../../src/query/mapping/document-types.ts';
import type { IndexName } from '../../../src/query/query.ts';
import {
  type DynamicField,
  type FieldKind,
  listFields,
  setFieldKind,
} from '../../api/data/fields-api.ts';
import { instantText } from '../../model/document-value.ts';
import { KINDS } from '../../model/kinds.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { useOneStop } from '../../ui/keyboard/one-stop.ts';
import { FaultNotice, LoadNotice } from '../../ui/notice.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useLoad } from '../../ui/use-load.ts';

const LABELS: Readonly<Record<FieldKind, string>> = {
  text: 'Text',
  long: 'Whole number',
  double: 'Number',
  boolean: 'Yes or no',
};

/** The document types that may have attributes of their own. */
const WITH_FIELDS = KINDS.filter(
  ({ index }) => staticMapping(index, { name: '', pod: '' }).dynamicRoots.length > 0,
);

export function FieldsPanel() {
  const [index, setIndex] = useState<IndexName>('identities');
  const { value, fault, reload } = useLoad(index, (signal) => listFields(index, signal));
  const { refusal, attempt } = useAttempt(reload);
  const [changed, setChanged] = useState<DynamicField | null>(null);
  const rows = value?.filter((field) => field.index === index);
  return (
    <section class="tile" aria-label="Fields">
      <h2>Fields</h2>
      <p class="quiet">
        Attributes that documents have brought. The kind says how searches read their values.
      </p>
      <label class="field">
        <span>Fields of</span>
        <select
          value={index}
          onChange={({ currentTarget }) => setIndex(currentTarget.value as IndexName)}
        >
          {WITH_FIELDS.map((kind) => (
            <option key={kind.index} value={kind.index}>
              {kind.plural}
            </option>
          ))}
        </select>
      </label>
      {refusal !== null && <FaultNotice fault={refusal} />}
      <LoadNotice value={rows} fault={fault} reload={reload} />
      {rows?.length === 0 && <p class="quiet">These documents have no attributes of their own.</p>}
      {rows !== undefined && rows.length > 0 && (
        <TableFrame label="Fields by name">
          <TableHead
            labels={['Name', 'Kind', 'Documents', 'Examples', 'First seen (UTC)']}
            numbers={['Documents']}
          />
          <Rows rows={rows} onChange={setChanged} />
        </TableFrame>
      )}
      {changed !== null && (
        <KindDialog
          field={changed}
          onKind={(kind) =>
            void attempt(async () => {
              await setFieldKind(changed, kind);
            })
          }
          onClose={() => setChanged(null)}
        />
      )}
    </section>
  );
}

interface RowsProps {
  readonly rows: readonly DynamicField[];
  readonly onChange: (field: DynamicField) => void;
}

/** The rows; their buttons are one stop of the Tab key, since there may be thousands. */
function Rows({ rows, onChange }: RowsProps) {
  const stop = useOneStop<HTMLTableSectionElement>('button');
  return (
    <tbody {...stop}>
      {rows.map((field) => (
        <tr key={field.name}>
          <td>
            <code>{field.name}</code>
          </td>
          <td>
            <button
              type="button"
              class="link-button"
              aria-label={`${LABELS[field.kind]}: change the kind of ${field.name}`}
              onClick={() => onChange(field)}
            >
              {LABELS[field.kind]}
            </button>
          </td>
          <td class="cell-number">{field.documents.toLocaleString('en')}</td>
          <td>{field.examples.join(', ') || '–'}</td>
          <td class="moment">{field.since === null ? '–' : instantText(field.since)}</td>
        </tr>
      ))}
    </tbody>
  );
}

interface KindDialogProps {
  readonly field: DynamicField;
  readonly onKind: (kind: FieldKind) => void;
  /** Called after `onKind`, too. */
  readonly onClose: () => void;
}

function KindDialog({ field: { name, kind: current }, onKind, onClose }: KindDialogProps) {
  const [kind, setKind] = useState(current);
  return (
    <Dialog title={`Kind of ${name}`} onClose={onClose}>
      <label class="field">
        <span>Kind</span>
        <select
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as FieldKind)}
        >
          {Object.entries(LABELS).map(([one, label]) => (
            <option key={one} value={one}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <p>
        Searches, saved searches and views read its values as “{LABELS[current]}” now. Queries that
        fit only that kind will be refused or find something else.
      </p>
      <div class="buttons dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <Button
          class="button button-main"
          isIdle={kind === current}
          onClick={() => {
            onKind(kind);
            onClose();
          }}
        >
          Change kind
        </Button>
      </div>
    </Dialog>
  );
}
