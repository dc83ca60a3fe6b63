// The page of one auth user: state, view, capabilities, tokens, searches and history. A change of
// capabilities is previewed as the JSON
// Patch to send. It is sent with the ETag of the version on the page, so that it never overwrites a
// concurrent change.
import { useRef, useState } from 'preact/hooks';
import { patchAuthUser, readAuthUser, type TaggedUser } from '../../api/auth-users-api.ts';
import { type ApiFault, asFault } from '../../api/fault.ts';
import { mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import {
  type CapabilityDifference,
  capabilityDifference,
  capabilityPatch,
  type PatchOperation,
  warningsFor,
} from '../../model/capability-change.ts';
import { instantText } from '../../model/document-value.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import { useUnsaved } from '../../ui/use-unsaved.ts';
import { Avatar } from '../../ui/values/avatar.tsx';
import { TokensPanel } from '../credentials/tokens-panel.tsx';
import { CapabilityList } from './capability-list.tsx';
import { DifferenceChips, UserHistory } from './user-history.tsx';
import { UserRestriction } from './user-restriction.tsx';
import { UserSearches } from './user-searches.tsx';
import { nameOf, UserState } from './user-state.tsx';

/** What the last change did. */
interface Done extends CapabilityDifference {
  /** Counts the changes that this page sent. */
  readonly nth: number;
}

export function UserView({ id }: { id: string }) {
  const { value, fault, reload } = useLoad(id, (signal) => readAuthUser(id, signal));
  const [changed, setChanged] = useState<TaggedUser | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  /** Changes that this page sent, other than those of capabilities. */
  const [others, setOthers] = useState(0);
  const person = useCell(session);
  const isAdmin = mayUser(person, 'admin');
  const maySeeTokens = mayUser(person, person?.identityId === id ? 'pat:own:read' : 'pat:all:read');
  if (fault?.kind === 'missing') {
    return (
      <>
        <Empty icon="people" title="Auth user not found">
          The link may be incomplete, or the identity has no auth user.{' '}
          <a href="#/users">Find another user</a>
        </Empty>
        {isAdmin && <UserSearches id={id} />}
      </>
    );
  }
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting lines={8} />;
  const discardAndReload = () => {
    setChanged(null);
    setDone(null);
    reload();
  };
  const shown = changed ?? value;
  return (
    <article class="document">
      <UserHead user={shown.user} />
      {isAdmin && (
        <div class="document-body">
          <UserState user={shown.user} onChanged={() => setOthers((nth) => nth + 1)} />
          <UserRestriction id={id} onChanged={() => setOthers((nth) => nth + 1)} />
        </div>
      )}
      <UserDetails
        tagged={shown}
        done={done}
        onChanged={(next) => {
          const difference = capabilityDifference(shown.user.capabilities, next.user.capabilities);
          setDone({ ...difference, nth: (done?.nth ?? 0) + 1 });
          setChanged(next);
        }}
        onReload={discardAndReload}
      />
      {maySeeTokens && (
        <div class="document-body">
          <TokensPanel owner={{ id, name: nameOf(shown.user) }} />
        </div>
      )}
      {isAdmin && (
        <div class="document-body">
          <UserSearches id={id} />
        </div>
      )}
      <div class="document-body">
        <UserHistory id={id} changes={(done?.nth ?? 0) + others} />
      </div>
    </article>
  );
}

function UserHead({ user }: { user: TaggedUser['user'] }) {
  const isOneself = session.get()?.identityId === user.id;
  return (
    <header class="document-head document-head-card">
      <Avatar name={user.displayName} size="large" />
      <div class="document-titles">
        <p class="quiet">Auth user{isOneself && ' (you)'}</p>
        <h1>{user.displayName}</h1>
        <p class="document-sub">{[user.uid, user.email].filter(Boolean).join(' · ')}</p>
        <p class="quiet">
          {user.lastLoginTimestamp > 0
            ? `Last signed in ${instantText(new Date(user.lastLoginTimestamp).toISOString())} UTC`
            : 'Never signed in'}
        </p>
      </div>
      <div class="buttons">
        <a class="button" href="#/users">
          <Icon name="back" size={16} /> All users
        </a>
        <a class="button" href={`#/document/identities/${encodeURIComponent(user.id)}`}>
          <Icon name="people" size={16} /> Identity
        </a>
      </div>
    </header>
  );
}

interface UserDetailsProps {
  readonly tagged: TaggedUser;
  readonly done: Done | null;
  readonly onChanged: (tagged: TaggedUser) => void;
  readonly onReload: () => void;
}

function UserDetails({ tagged, done, onChanged, onReload }: UserDetailsProps) {
  const { user, etag } = tagged;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(user.capabilities));
  const [lastTag, setLastTag] = useState(etag);
  /** What Apply sent last; null: another version, such as after Reload, replaces all choices. */
  const sent = useRef<ReadonlySet<string> | null>(null);
  if (etag !== lastTag) {
    // Another version. The controls stay, and with them the focus.
    setLastTag(etag);
    setChosen(withChanges(new Set(user.capabilities), sent.current ?? chosen, chosen));
    sent.current = null;
  }
  const patch = capabilityPatch(user.capabilities, chosen);
  useUnsaved(patch.length > 0);
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    setChosen(next);
  };
  const isOneself = session.get()?.identityId === user.id;
  return (
    <div class="document-body user-columns">
      <CapabilityList held={user.capabilities} chosen={chosen} onToggle={toggle} />
      <Change
        id={user.id}
        etag={etag}
        patch={patch}
        difference={capabilityDifference(user.capabilities, [...chosen])}
        done={done}
        warnings={warningsFor(user.capabilities, chosen, isOneself)}
        onChanged={onChanged}
        onSend={() => {
          sent.current = chosen;
        }}
        onReload={() => {
          sent.current = null;
          onReload();
        }}
        onReset={() => setChosen(new Set(user.capabilities))}
      />
    </div>
  );
}

/** The set after what was added and removed between two others. */
function withChanges(
  names: ReadonlySet<string>,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): ReadonlySet<string> {
  const added = [...after].filter((name) => !before.has(name));
  const kept = [...names].filter((name) => after.has(name) || !before.has(name));
  return new Set([...kept, ...added]);
}

interface ChangeProps {
  readonly id: string;
  readonly etag: string;
  readonly patch: readonly PatchOperation[];
  readonly difference: CapabilityDifference;
  readonly done: Done | null;
  readonly warnings: readonly string[];
  /** Called when the changes are sent. */
  readonly onSend: () => void;
  readonly onChanged: (tagged: TaggedUser) => void;
  readonly onReload: () => void;
  readonly onReset: () => void;
}

function Change(props: ChangeProps) {
  const { id, etag, patch, difference, done, warnings, onSend, onChanged, onReload, onReset } =
    props;
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [lastTag, setLastTag] = useState(etag);
  if (etag !== lastTag) {
    setLastTag(etag);
    setFault(null);
  }
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setFault(null);
    onSend();
    try {
      onChanged(await patchAuthUser(id, patch, etag));
    } catch (error) {
      setFault(asFault(error));
    }
    setBusy(false);
  };
  return (
    <section class="change" data-pending={patch.length > 0} aria-label="Change">
      <h2>Change</h2>
      {patch.length === 0 && done !== null && (
        <div class="notice notice-good" role="status">
          <Icon name="done" />
          <div class="notice-body">
            <p class="notice-title">Saved</p>
            <DifferenceChips {...done} />
          </div>
        </div>
      )}
      {patch.length === 0 ? (
        <p class="quiet">No changes. Select the capabilities that the user should have.</p>
      ) : (
        <>
          <DifferenceChips {...difference} />
          <div class="change-patch">
            <p class="quiet">JSON Patch to send:</p>
            <pre class="code" data-testid="patch">
              {patch.map((operation) => JSON.stringify(operation)).join('\n')}
            </pre>
          </div>
        </>
      )}
      {warnings.map((warning) => (
        <p class="notice notice-plain" key={warning}>
          <Icon name="alert" size={16} /> {warning}
        </p>
      ))}
      {fault !== null && <Refused fault={fault} onReload={onReload} />}
      <div class="buttons">
        <Button class="button button-main" isIdle={patch.length === 0 || busy} onClick={send}>
          {busy ? 'Sending…' : 'Apply'}
        </Button>
        <button type="button" class="button" disabled={patch.length === 0} onClick={onReset}>
          Reset
        </button>
      </div>
    </section>
  );
}

const LAST_ADMIN = /at least one user with ORG_ADMIN/;

function Refused({ fault, onReload }: { fault: ApiFault; onReload: () => void }) {
  if (fault.kind === 'changed') {
    return (
      <div class="notice notice-bad" role="alert">
        <Icon name="alert" />
        <div class="notice-body">
          <p class="notice-title">This user was changed by someone else</p>
          <p>Your changes were not saved. Reload the user and try again.</p>
          <button type="button" class="button" onClick={onReload}>
            Reload
          </button>
        </div>
      </div>
    );
  }
  if ([fault.message, ...fault.causes].some((sentence) => LAST_ADMIN.test(sentence))) {
    return (
      <div class="notice notice-bad" role="alert">
        <Icon name="shield" />
        <div class="notice-body">
          <p class="notice-title">This is the last administrator</p>
          <p>
            No other user in the tenant has ORG_ADMIN. Assign it to another user first. Your changes
            were not saved.
          </p>
        </div>
      </div>
    );
  }
  return <FaultNotice fault={fault} />;
}
