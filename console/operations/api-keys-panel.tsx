// API keys of profile management: created with a name and a scope, shown once, deleted after a confirmation.
import { useState } from 'preact/hooks';
import { type ApiKey, createApiKey, deleteApiKey, listApiKeys } from '../api/admin-api.ts';
import { instantText } from '../search/document-value.ts';
import { Confirm } from '../ui/confirm.tsx';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { TableFrame } from '../ui/table-frame.tsx';
import { useLoad } from '../ui/use-load.ts';
import { Secret } from './secret.tsx';
import { useAttempt } from './use-attempt.ts';

export function ApiKeysPanel() {
  const { value, fault, again } = useLoad('api-keys', listApiKeys);
  const [made, setMade] = useState<string | null>(null);
  const [doomed, setDoomed] = useState<ApiKey | null>(null);
  const { refusal, attempt } = useAttempt(again);
  return (
    <section class="related" aria-label="API keys">
      <h2>API keys</h2>
      <p class="quiet">A key opens profile management, and nothing else.</p>
      <NewKey
        onCreate={(request) => attempt(async () => setMade((await createApiKey(request)).apiKey))}
      />
      {made !== null && (
        <Secret
          title="Copy the key now: it is shown this once."
          lines={made}
          onDone={() => setMade(null)}
        />
      )}
      {refusal !== null && <FaultNotice fault={refusal} />}
      {fault !== null && <FaultNotice fault={fault} again={again} />}
      {value === undefined && fault === null && <Waiting lines={2} />}
      {value?.length === 0 && <p class="quiet">There is none yet.</p>}
      {value !== undefined && value.length > 0 && <KeyTable keys={value} onDelete={setDoomed} />}
      {doomed !== null && (
        <Confirm
          title={`Delete the key “${doomed.name}”?`}
          sentence="Whoever uses it is turned away from the next request on. It cannot be brought back."
          onConfirm={() => void attempt(() => deleteApiKey(doomed.id))}
          onClose={() => setDoomed(null)}
        />
      )}
    </section>
  );
}

/** @param onCreate whether one was made: what was refused stays, to be put right */
function NewKey({
  onCreate,
}: {
  onCreate: (request: Pick<ApiKey, 'name' | 'scope'>) => Promise<boolean>;
}) {
  return (
    <form
      class="new-token"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const fields = new FormData(form);
        const scope = fields.get('scope') === 'read' ? 'read' : 'manage';
        void onCreate({ name: String(fields.get('name')), scope }).then((isMade) => {
          if (isMade) form.reset();
        });
      }}
    >
      <label class="field">
        <span>Name of a new API key</span>
        <input name="name" required maxLength={255} autoComplete="off" />
      </label>
      <label class="field">
        <span>Scope</span>
        <select name="scope">
          <option value="manage">Read and write</option>
          <option value="read">Read</option>
        </select>
      </label>
      <button type="submit" class="button">
        Make a key
      </button>
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
    <TableFrame label="Keys" size="short">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Id</th>
          <th scope="col">Scope</th>
          <th scope="col">Owner</th>
          <th scope="col">Created</th>
          <th scope="col">Expires</th>
          <th scope="col">Last used</th>
          <th scope="col">
            <span class="unseen">Delete</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td>{key.name}</td>
            <td>{key.id}</td>
            <td>{key.scope === 'read' ? 'Read' : 'Read and write'}</td>
            <td>{key.owner?.name ?? 'None'}</td>
            <td>{instantText(key.created)}</td>
            <td>{key.expires === null ? 'Never' : instantText(key.expires)}</td>
            <td>{key.lastUsed === null ? 'Never' : instantText(key.lastUsed)}</td>
            <td>
              <button
                type="button"
                class="link-button"
                aria-label={`Delete the key ${key.name}`}
                onClick={() => onDelete(key)}
              >
                Delete
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
