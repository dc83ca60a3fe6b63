// Who is restricted to a view: auth users, tokens and clients, each with a link.
import type { ComponentChildren } from 'preact';
import type { ViewHolders } from '../../api/views/views-api.ts';
import { LoadNotice } from '../../ui/notice.tsx';
import { href } from '../../ui/route.ts';
import type { Load } from '../../ui/use-load.ts';

/** @param name that of the view */
export function Holders({ load, name }: { load: Load<ViewHolders>; name: string }) {
  const { value, fault, reload } = load;
  return (
    <section class="tile" aria-label="Who has it">
      <h2>Who has it</h2>
      <LoadNotice value={value} fault={fault} reload={reload} lines={1} />
      {value !== undefined && <HolderLists holders={value} name={name} />}
    </section>
  );
}

function HolderLists({ holders, name }: { holders: ViewHolders; name: string }) {
  const { users, userCount, tokens, clients } = holders;
  if (userCount === 0 && tokens?.length === 0 && clients?.length === 0) {
    return (
      <p class="quiet">
        Nobody yet. Restrict an <a href="#/users">auth user</a> on their page, or a{' '}
        <a href="#/tokens">token</a> or <a href="#/clients">client</a> when you create it.
      </p>
    );
  }
  return (
    <dl class="facts view-holders">
      <Holding what="Auth users" count={userCount}>
        {users.map(({ id, displayName, uid }) => (
          <a href={href('users', id)} key={id}>
            {displayName || uid}
          </a>
        ))}
        {userCount > users.length && (
          <a href={`#/users?${new URLSearchParams({ view: name })}`}>
            all {userCount.toLocaleString('en')}
          </a>
        )}
      </Holding>
      <Holding what="Tokens" count={tokens === null ? null : tokens.length}>
        {(tokens ?? []).map((token) => (
          <span key={token.id}>
            <a href="#/tokens">{token.name}</a> <span class="quiet">of {token.owner.name}</span>
          </span>
        ))}
      </Holding>
      <Holding what="API clients" count={clients === null ? null : clients.length}>
        {(clients ?? []).map((client) => (
          <a href="#/clients" key={client.id}>
            {client.name}
          </a>
        ))}
      </Holding>
    </dl>
  );
}

/** @param count null: the user may not list them */
function Holding({
  what,
  count,
  children,
}: {
  what: string;
  count: number | null;
  children: ComponentChildren;
}) {
  return (
    <div>
      <dt>
        {what} {count !== null && <strong>{count.toLocaleString('en')}</strong>}
      </dt>
      <dd class="view-holder-list">
        {count === 0 && <span class="quiet">None</span>}
        {count === null && <span class="quiet">Your token may not list them.</span>}
        {children}
      </dd>
    </div>
  );
}
