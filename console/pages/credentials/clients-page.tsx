// The page Clients: API clients, whose tokens belong to no user. The secret is shown once, on
// creation; to replace it, create another client, change the program, and delete the old one.
import { useState } from 'preact/hooks';
import {
  type ApiClient,
  createClient,
  deleteClient,
  enableClient,
  listClients,
  type NewApiClient,
} from '../../api/clients-api.ts';
import '../../style/administration.css';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, FaultNotice, LoadNotice } from '../../ui/notice.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useLoad } from '../../ui/use-load.ts';
import { ClientTable } from './client-table.tsx';
import { NewClient } from './new-client.tsx';
import { environmentOf, type NewCredential, Secret } from './secret.tsx';

export function ClientsPage() {
  const { value, fault, reload } = useLoad('clients', listClients);
  const [created, setCreated] = useState<NewCredential | null>(null);
  const [toDelete, setToDelete] = useState<ApiClient | null>(null);
  const { refusal, attempt } = useAttempt(reload);
  const create = (client: NewApiClient) =>
    attempt(async () => setCreated(await createClient(client)));
  return (
    <div class="page">
      <h1>Clients</h1>
      <p class="quiet">
        API clients get access tokens with their id and secret. Their tokens belong to no user: only
        scopes say what they may do.
      </p>
      {created !== null && (
        <Secret
          title="Copy the client secret now. You will not be able to see it again."
          lines={environmentOf(created)}
          onDone={() => setCreated(null)}
        />
      )}
      {refusal !== null && <FaultNotice fault={refusal} />}
      <LoadNotice value={value} fault={fault} reload={reload} />
      {value?.length === 0 && (
        <Empty icon="plug" title="No API clients yet">
          Create one for each program that acts for no user, such as a nightly export.
        </Empty>
      )}
      {value !== undefined && value.length > 0 && (
        <ClientTable
          clients={value}
          onEnable={({ id, enabled }) => void attempt(() => enableClient(id, !enabled))}
          onDelete={setToDelete}
        />
      )}
      {value !== undefined && <NewClient isIdle={created !== null} onCreate={create} />}
      {toDelete !== null && (
        <Confirm
          title={`Delete API client “${toDelete.name}”?`}
          sentence="Programs that use this client will lose access within a second. This cannot be undone; to stop them for a while, disable the client."
          onConfirm={() => void attempt(() => deleteClient(toDelete.id))}
          onClose={() => setToDelete(null)}
        />
      )}
    </div>
  );
}
