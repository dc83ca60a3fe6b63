// Personal access tokens, which programs sign in with. The secret is shown once, on creation; a
// deleted token stops working within a second.
import { useId, useState } from 'preact/hooks';
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
import { ScopeField, scopesIn } from './scope-field.tsx';
import { environmentOf, type NewCredential, Secret } from './secret.tsx';

export interface TokensPanelProps {
  /** Only the tokens of this auth user; by default all that the signed-in user may list. */
  readonly owner?: { readonly id: string; readonly name: string };
}

export function TokensPanel({ owner }: TokensPanelProps) {
  const user = useCell(session);
  const own = user?.identityId ?? null;
  const isOwn = owner === undefined || owner.id === own;
  const mayManage = mayUser(user, 'pat:own:manage');
  const mayManageAll = mayUser(user, 'pat:all:manage');
  const whose = owner?.id ?? (mayUser(user, 'pat:all:read') ? 'all' : 'me');
  const { value, fault, reload } = useLoad(`tokens of ${whose}`, (signal) =>
    listTokens(whose, signal),
  );
  const [created, setCreated] = useState<NewCredential | null>(null);
  const [toDelete, setToDelete] = useState<AccessToken | null>(null);
  const { refusal, attempt } = useAttempt(reload);
  const create = (token: NewAccessToken) =>
    attempt(async () => setCreated(await createToken(token)));
  const mayDelete = (token: AccessToken) => mayManageAll || (mayManage && token.owner.id === own);
  return (
    <section class="related" aria-label="Personal access tokens">
      <h2>Personal access tokens</h2>
      {mayManage && isOwn && <NewToken isIdle={created !== null} onCreate={create} />}
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
          {isOwn
            ? mayManage && ' Create one for a program that acts with your rights.'
            : ` ${owner.name} creates them in this console, or an operator with cardea pat create.`}
        </p>
      )}
      {value !== undefined && value.length > 0 && (
        <TokenTable
          tokens={value}
          hasOwners={owner === undefined}
          mayDelete={mayDelete}
          onDelete={setToDelete}
        />
      )}
      {toDelete !== null && (
        <Confirm
          title={`Delete token “${toDelete.name}” of ${toDelete.owner.name}?`}
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
  const [created, setCreated] = useState(0);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const expiryHint = useId();
  const submit = useCreation(async (fields) => {
    const scope = scopesIn(fields);
    setFault(scope.length === 0 ? 'Choose at least one scope.' : undefined);
    if (scope.length === 0) return false;
    const day = String(fields.get('expires'));
    const isCreated = await onCreate({
      ...{ name: String(fields.get('name')), scope },
      ...(day !== '' && { expirationDate: `${day}T23:59:59.999Z` }),
      ...viewIn(fields),
    });
    if (isCreated) setCreated((nth) => nth + 1);
    return isCreated;
  });
  return (
    <form class="new-token" onSubmit={submit}>
      <label class="field">
        <span>New token name</span>
        <input name="name" required maxLength={200} autoComplete="off" />
      </label>
      <div class="field">
        <label for={`${expiryHint}-day`}>Expires at the end of</label>
        <input
          type="date"
          name="expires"
          id={`${expiryHint}-day`}
          min={new Date().toISOString().slice(0, 10)}
          aria-describedby={expiryHint}
        />
      </div>
      <ViewField />
      <p class="quiet new-token-note" id={expiryHint}>
        The day ends at midnight UTC. Without a day the token expires in six months.
      </p>
      <ScopeField key={created} fault={fault} />
      <Button type="submit" class="button" isIdle={isIdle}>
        Create token
      </Button>
    </form>
  );
}

interface TokenTableProps {
  readonly tokens: readonly AccessToken[];
  /** False if all have the same owner, whom the page names. */
  readonly hasOwners: boolean;
  readonly mayDelete: (token: AccessToken) => boolean;
  readonly onDelete: (token: AccessToken) => void;
}

function TokenTable({ tokens, hasOwners, mayDelete, onDelete }: TokenTableProps) {
  const hasActions = tokens.some(mayDelete);
  return (
    <TableFrame label="Tokens">
      <TableHead
        labels={[
          ...['Name', ...(hasOwners ? ['Owner'] : [])],
          ...['Scopes', 'View', 'Created', 'Last used', 'Expires'],
        ]}
        {...(hasActions && { actions: 'Delete' })}
      />
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <td class="cell-name">{token.name}</td>
            {hasOwners && (
              <td class="cell-name">
                <a href={`#/users/${encodeURIComponent(token.owner.id)}`}>{token.owner.name}</a>
              </td>
            )}
            <td class="cell-name">{token.scope?.join(' ') ?? 'Default'}</td>
            <td class="cell-name">
              <ViewName view={token.view ?? null} />
            </td>
            <td class="moment">{instantText(token.created)}</td>
            <td class="moment">{instantOrNever(token.lastUsed)}</td>
            <td class="moment">{instantOrNever(token.expirationDate)}</td>
            {hasActions && (
              <td class="row-actions">
                {mayDelete(token) && (
                  <DeleteButton name={`token ${token.name}`} onClick={() => onDelete(token)} />
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
