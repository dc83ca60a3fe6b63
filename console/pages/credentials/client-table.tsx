// The API clients of the tenant, with what can be done to each.
import type { ApiClient } from '../../api/clients-api.ts';
import { durationText } from '../../model/amount.ts';
import { instantOrNever, instantText } from '../../model/document-value.ts';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { Status } from '../../ui/values/status.tsx';
import { ViewName } from '../views/view-name.tsx';
import { DeleteButton } from './delete-button.tsx';

export interface ClientTableProps {
  readonly clients: readonly ApiClient[];
  /** Enables a disabled client, and disables an enabled one. */
  readonly onEnable: (client: ApiClient) => void;
  readonly onDelete: (client: ApiClient) => void;
}

export function ClientTable({ clients, onEnable, onDelete }: ClientTableProps) {
  return (
    <TableFrame label="API clients">
      <TableHead
        labels={['Client', 'State', 'Scopes', 'View', 'Token lifetime', 'Created', 'Last used']}
        actions="Change"
      />
      <tbody>
        {clients.map((client) => (
          <tr key={client.id}>
            <td>
              {client.name}
              {client.description !== '' && <p class="quiet">{client.description}</p>}
              <p class="client-id">{client.id}</p>
            </td>
            <td>
              <Status word={client.enabled ? 'Enabled' : 'Disabled'} />
            </td>
            <td class="cell-name">{client.scope.join(' ')}</td>
            <td class="cell-name">
              <ViewName view={client.view ?? null} />
            </td>
            <td class="moment">
              {durationText(client.accessTokenValiditySeconds)}
              {client.grantTypes.includes('REFRESH_TOKEN') && ', can be renewed'}
            </td>
            <td class="moment">{instantText(client.created)}</td>
            <td class="moment">{instantOrNever(client.lastUsed)}</td>
            <td class="row-actions">
              <button
                type="button"
                class="link-button"
                aria-label={`${client.enabled ? 'Disable' : 'Enable'} client ${client.name}`}
                onClick={() => onEnable(client)}
              >
                {client.enabled ? 'Disable' : 'Enable'}
              </button>
              <DeleteButton name={`client ${client.name}`} onClick={() => onDelete(client)} />
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
