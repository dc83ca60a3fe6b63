// Finds a user by name, email or id. The service has no list of auth users, so this searches the
// identities; an id opens the user directly.
import { search } from '../../api/search-api.ts';
import { session } from '../../api/session.ts';
import { firstText } from '../../model/document-value.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { go, href, replace } from '../../ui/route.ts';
import { WordsField } from '../../ui/table/filter-fields.tsx';
import { addressWith, changedParameters } from '../../ui/table/list-state.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import { Avatar } from '../../ui/values/avatar.tsx';

const SHOWN_MAX = 30;
const ID = /^[0-9a-f]{32}$/;

export function UserFinder({ words }: { words: string }) {
  const own = useCell(session)?.identityId ?? null;
  return (
    <div class="page">
      <h1>Auth users</h1>
      <p class="quiet">Find a user to view and change their capabilities.</p>
      <form
        class="finder"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = String(new FormData(event.currentTarget).get('words')).trim();
          if (ID.test(typed)) go(href('users', typed));
        }}
      >
        <WordsField
          label="Name, UID, email or ID"
          words={words}
          onWords={(q) =>
            replace(addressWith('/users', changedParameters(new URLSearchParams(), { q })))
          }
        />
        {own !== null && (
          <a class="button" href={href('users', own)}>
            <Icon name="shield" size={16} /> Your account
          </a>
        )}
      </form>
      {words === '' ? (
        <Empty icon="people" title="Find a user">
          Type a part of the name. Their page shows the capabilities and every earlier change.
        </Empty>
      ) : (
        <People words={words} />
      )}
    </div>
  );
}

function People({ words }: { words: string }) {
  const { value, fault, reload } = useLoad(words, (signal) =>
    search(
      {
        indices: ['identities'],
        queryType: 'TEXT',
        textQuery: {
          terms: words.split(/\s+/),
          fields: ['displayName', 'name', 'email', 'id'],
          contains: true,
        },
        queryResultFilter: {
          includes: ['id', 'name', 'displayName', 'email', 'attributes.jobTitle'],
        },
        sort: ['displayName', 'id'],
      },
      { limit: SHOWN_MAX, count: 'exact' },
      signal,
    ),
  );
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting />;
  if (value.hits.length === 0)
    return (
      <Empty icon="people" title="No matching users">
        Try a part of the name, the email or the ID. Only identities of the tenant are found.
      </Empty>
    );
  return (
    <>
      <ul class="people">
        {value.hits.map((person) => (
          <li key={String(person['id'])}>
            <a href={href('users', String(person['id']))}>
              <span class="person">
                <Avatar name={firstText(person, 'displayName', 'name')} />
                <strong>{firstText(person, 'displayName', 'name')}</strong>
              </span>
              <span class="quiet">{firstText(person, 'attributes.jobTitle')}</span>
              <span class="quiet">{firstText(person, 'email', 'name')}</span>
            </a>
          </li>
        ))}
      </ul>
      {value.total > SHOWN_MAX && (
        <p class="quiet">
          Showing the first {SHOWN_MAX} of {value.total.toLocaleString('en')}
        </p>
      )}
    </>
  );
}
