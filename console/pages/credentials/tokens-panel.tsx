// Personal access tokens, which programs sign in with. The secret is shown once, on creation; a
// deleted token stops working within a second.
import { useState } from 'preact/hooks';
import {
  type AccessToken,
  createToken,
  deleteToken,
  listTokens,
  type NewAccessToken,
} from '../../api/admin-api.ts';
import { mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import { instantOrNever, instantText } from '../../model/document-value.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { useCreation } from '../../ui/forms/use-creation.ts';
import { FaultNotice, LoadNotice } from '../../ui/notice.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import { ViewField, viewIn } from '../views/view-field.tsx';
import { ViewName } from '../views/view-name.tsx';
import { DeleteButton } from './delete-button.tsx';
import { environmentOf, type NewCredential, Secret } from './secret.tsx';

export function TokensPanel() {
  const user = useCell(session);
  const isAdmin = mayUser(user, 'pat:all:read');
  const mayManage = mayUser(user, 'pat:own:manage');
  const { value, fault, reload } = useLoad('tokens', (signal) =>
    listTokens(isAdmin ? 'all' : 'own', signal),
  );
  const [created, setCreated] = useState<NewCredential | null>(null);
  const [toDelete, setToDelete] = useState<AccessToken | null>(null);
  const { refusal, attempt } = useAttempt(reload);
  const create = (token: NewAccessToken) =>
    attempt(async () => setCreated(await createToken(token)));
  return (
    <section class="related" aria-label="Personal access tokens">
      <h2>Personal access tokens</h2>
      {mayManage && <NewToken isIdle={created !== null} onCreate={create} />}
      {created !== null && (
        <Secret
          title="Copy your secret now. You will not be able to see it again."
          lines={environmentOf(created)}
          onDone={() => setCreated(null)}
        />
      )}
      {refusal !== null && <FaultNotice fault={refusal} />}
      <LoadNotice value={value} fault={fault} reload={reload} />
      {value?.length === 0 && (
        <p class="quiet">
          No personal access tokens yet.
          {mayManage && ' Create one for a program that acts with your rights.'}
        </p>
      )}
      {value !== undefined && value.length > 0 && (
        <TokenTable tokens={value} onDelete={mayManage ? setToDelete : null} />
      )}
      {toDelete !== null && (
        <Confirm
          title={`Delete token “${toDelete.name}”?`}
          sentence="Programs that use this token will lose access within a second. This cannot be undone."
          onConfirm={() => void attempt(() => deleteToken(toDelete.id))}
          onClose={() => setToDelete(null)}
        />
      )}
    </section>
  );
}

/**
 * @param isIdle true while a new secret is shown
 * @param onCreate resolves to false if the token was refused; the form then keeps its values
 */
function NewToken({
  isIdle,
  onCreate,
}: {
  isIdle: boolean;
  onCreate: (token: NewAccessToken) => Promise<boolean>;
}) {
  const submit = useCreation((fields) =>
    onCreate({
      name: String(fields.get('name')),
      scope: String(fields.get('scope')).split(/\s+/).filter(Boolean),
      ...viewIn(fields),
    }),
  );
  return (
    <form class="new-token" onSubmit={submit}>
      <label class="field">
        <span>New token name</span>
        <input name="name" required maxLength={200} autoComplete="off" />
      </label>
      <label class="field">
        <span>Scopes</span>
        <input name="scope" defaultValue="sp:scopes:all" autoComplete="off" spellcheck={false} />
      </label>
      <ViewField />
      <Button type="submit" class="button" isIdle={isIdle}>
        Create token
      </Button>
    </form>
  );
}

function TokenTable({
  tokens,
  onDelete,
}: {
  tokens: readonly AccessToken[];
  /** null: the user may delete none. */
  onDelete: ((token: AccessToken) => void) | null;
}) {
  return (
    <TableFrame label="Tokens">
      <TableHead
        labels={['Name', 'Owner', 'Scopes', 'View', 'Created', 'Last used', 'Expires']}
        {...(onDelete !== null && { actions: 'Delete' })}
      />
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <td class="cell-name">{token.name}</td>
            <td class="cell-name">
              <a href={`#/users/${encodeURIComponent(token.owner.id)}`}>{token.owner.name}</a>
            </td>
            <td class="cell-name">{token.scope?.join(' ') ?? 'Default'}</td>
            <td class="cell-name">
              <ViewName view={token.view ?? null} />
            </td>
            <td class="moment">{instantText(token.created)}</td>
            <td class="moment">{instantOrNever(token.lastUsed)}</td>
            <td class="moment">{instantOrNever(token.expirationDate)}</td>
            {onDelete !== null && (
              <td class="row-actions">
                <DeleteButton name={`token ${token.name}`} onClick={() => onDelete(token)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
