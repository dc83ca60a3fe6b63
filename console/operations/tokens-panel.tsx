// Personal access tokens: what programs sign in with. A secret is shown once, when it is made; what is deleted opens
// nothing more at once.
import { useState } from 'preact/hooks';
import { type AccessToken, createToken, deleteToken, listTokens } from '../api/admin-api.ts';
import { session } from '../api/session.ts';
import { instantText } from '../search/document-value.ts';
import { Confirm } from '../ui/confirm.tsx';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { TableFrame } from '../ui/table-frame.tsx';
import { useCell } from '../ui/use-cell.ts';
import { useLoad } from '../ui/use-load.ts';
import { Secret } from './secret.tsx';
import { useAttempt } from './use-attempt.ts';

type Created = { readonly id: string; readonly secret: string };

export function TokensPanel() {
  const isAdmin = useCell(session)?.levels.includes('ORG_ADMIN') ?? false;
  const { value, fault, again } = useLoad('tokens', (signal) =>
    listTokens(isAdmin ? 'all' : 'own', signal),
  );
  const [created, setCreated] = useState<Created | null>(null);
  const [doomed, setDoomed] = useState<AccessToken | null>(null);
  const { refusal, attempt } = useAttempt(again);
  const create = (name: string, scope: string) =>
    attempt(async () => setCreated(await createToken(name, scope.split(/\s+/).filter(Boolean))));
  return (
    <section class="related" aria-label="Personal access tokens">
      <h2>Personal access tokens</h2>
      <NewToken onCreate={create} />
      {created !== null && (
        <Secret
          title="Copy the secret now: it is shown this once."
          lines={`SAIL_CLIENT_ID=${created.id}\nSAIL_CLIENT_SECRET=${created.secret}`}
          onDone={() => setCreated(null)}
        />
      )}
      {refusal !== null && <FaultNotice fault={refusal} />}
      {fault !== null && <FaultNotice fault={fault} again={again} />}
      {value === undefined && fault === null && <Waiting />}
      {value !== undefined && <TokenTable tokens={value} onDelete={setDoomed} />}
      {doomed !== null && (
        <Confirm
          title={`Delete “${doomed.name}”?`}
          sentence="Whoever signs in with it is turned away from the next second on. It cannot be brought back."
          onConfirm={() => void attempt(() => deleteToken(doomed.id))}
          onClose={() => setDoomed(null)}
        />
      )}
    </section>
  );
}

/** @param onCreate whether one was made: what was refused stays, to be put right */
function NewToken({ onCreate }: { onCreate: (name: string, scope: string) => Promise<boolean> }) {
  return (
    <form
      class="new-token"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const filled = new FormData(form);
        void onCreate(String(filled.get('name')), String(filled.get('scope'))).then((isMade) => {
          if (isMade) form.reset();
        });
      }}
    >
      <label class="field">
        <span>Name of a new token</span>
        <input name="name" required maxLength={200} autoComplete="off" />
      </label>
      <label class="field">
        <span>Scopes</span>
        <input name="scope" defaultValue="sp:scopes:all" autoComplete="off" spellcheck={false} />
      </label>
      <button type="submit" class="button">
        Make it
      </button>
    </form>
  );
}

function TokenTable({
  tokens,
  onDelete,
}: {
  tokens: readonly AccessToken[];
  onDelete: (token: AccessToken) => void;
}) {
  return (
    <TableFrame label="Tokens">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Owner</th>
          <th scope="col">Scopes</th>
          <th scope="col">Created</th>
          <th scope="col">Last used</th>
          <th scope="col">Expires</th>
          <th scope="col">
            <span class="unseen">Delete</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <td>{token.name}</td>
            <td>
              <a href={`#/users/${encodeURIComponent(token.owner.id)}`}>{token.owner.name}</a>
            </td>
            <td>{token.scope?.join(' ') ?? 'default'}</td>
            <td class="moment">{instantText(token.created)}</td>
            <td class="moment">
              {token.lastUsed === null ? 'never' : instantText(token.lastUsed)}
            </td>
            <td class="moment">
              {token.expirationDate === null ? 'never' : instantText(token.expirationDate)}
            </td>
            <td>
              <button
                type="button"
                class="link-button"
                aria-label={`Delete ${token.name}`}
                onClick={() => onDelete(token)}
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
