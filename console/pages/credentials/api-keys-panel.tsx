// API keys of profile management: created with a name and a scope, shown once, and deleted after a
// confirmation.
import { useState } from 'preact/hooks';
import { type ApiKey, createApiKey, deleteApiKey, listApiKeys } from '../../api/admin-api.ts';
import { instantOrNever, instantText } from '../../model/document-value.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { useCreation } from '../../ui/forms/use-creation.ts';
import { FaultNotice, LoadNotice } from '../../ui/notice.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useLoad } from '../../ui/use-load.ts';
import { DeleteButton } from './delete-button.tsx';
import { Secret } from './secret.tsx';

export function ApiKeysPanel() {
  const { value, fault, reload } = useLoad('api-keys', listApiKeys);
  const [newKey, setNewKey] = useState<string | null>(null);
  const [toDelete, setToDelete] = useState<ApiKey | null>(null);
  const { refusal, attempt } = useAttempt(reload);
  return (
    <section class="related" aria-label="API keys">
      <h2>API keys</h2>
      <p class="quiet">API keys give access to profile management only.</p>
      <NewKey
        isIdle={newKey !== null}
        onCreate={(request) => attempt(async () => setNewKey((await createApiKey(request)).apiKey))}
      />
      {newKey !== null && (
        <Secret
          title="Copy your API key now. You will not be able to see it again."
          lines={newKey}
          onDone={() => setNewKey(null)}
        />
      )}
      {refusal !== null && <FaultNotice fault={refusal} />}
      <LoadNotice value={value} fault={fault} reload={reload} lines={2} />
      {value?.length === 0 && (
        <p class="quiet">No API keys yet. Create one for a program that manages profiles.</p>
      )}
      {value !== undefined && value.length > 0 && <KeyTable keys={value} onDelete={setToDelete} />}
      {toDelete !== null && (
        <Confirm
          title={`Delete API key “${toDelete.name}”?`}
          sentence="Programs that use this key will lose access immediately. This cannot be undone."
          onConfirm={() => void attempt(() => deleteApiKey(toDelete.id))}
          onClose={() => setToDelete(null)}
        />
      )}
    </section>
  );
}

/**
 * @param isIdle true while a new key is shown
 * @param onCreate resolves to false if the key was refused; the form then keeps its values
 */
function NewKey({
  isIdle,
  onCreate,
}: {
  isIdle: boolean;
  onCreate: (request: Pick<ApiKey, 'name' | 'scope'>) => Promise<boolean>;
}) {
  const submit = useCreation((fields) => {
    const scope = fields.get('scope') === 'read' ? 'read' : 'manage';
    return onCreate({ name: String(fields.get('name')), scope });
  });
  return (
    <form class="new-token" onSubmit={submit}>
      <label class="field">
        <span>New API key name</span>
        <input name="name" required maxLength={255} autoComplete="off" />
      </label>
      <label class="field">
        <span>Scope</span>
        <select name="scope">
          <option value="manage">Read and write</option>
          <option value="read">Read</option>
        </select>
      </label>
      <Button type="submit" class="button" isIdle={isIdle}>
        Create API key
      </Button>
    </form>
  );
}

function KeyTable({
  keys,
  onDelete,
}: {
  keys: readonly ApiKey[];
  onDelete: (key: ApiKey) => void;
}) {
  return (
    <TableFrame label="API keys" size="short">
      <TableHead
        labels={['Name', 'ID', 'Scope', 'Owner', 'Created', 'Expires', 'Last used']}
        actions="Delete"
      />
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td>{key.name}</td>
            <td>{key.id}</td>
            <td>{key.scope === 'read' ? 'Read' : 'Read and write'}</td>
            <td>{key.owner?.name ?? 'None'}</td>
            <td>{instantText(key.created)}</td>
            <td>{instantOrNever(key.expires)}</td>
            <td>{instantOrNever(key.lastUsed)}</td>
            <td class="row-actions">
              <DeleteButton name={`API key ${key.name}`} onClick={() => onDelete(key)} />
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
