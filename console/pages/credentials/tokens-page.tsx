// The page Tokens: personal access tokens of the user, or of all users for an administrator, and
// the API keys of profile management.
import { mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import '../../style/administration.css';
import { useCell } from '../../ui/use-cell.ts';
import { ApiKeysPanel } from './api-keys-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';

export function TokensPage() {
  const current = useCell(session);
  return (
    <div class="page">
      <h1>Tokens and keys</h1>
      <TokensPanel />
      {mayUser(current, 'admin') && <ApiKeysPanel />}
    </div>
  );
}
