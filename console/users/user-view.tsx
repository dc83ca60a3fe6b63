// The page of one auth user, to view and change the capabilities. A change is previewed as the JSON
// Patch to send. It is sent with the ETag of the version on the page, so that it never overwrites a
// concurrent change.
import { useState } from 'preact/hooks';
import { patchAuthUser, readAuthUser, type TaggedUser } from '../api/auth-users-api.ts';
import { type ApiFault, asFault } from '../api/fault.ts';
import { session } from '../api/session.ts';
import { Related } from '../document/related.tsx';
import { printValue } from '../search/completion.ts';
import { instantText } from '../search/document-value.ts';
import { Icon } from '../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../ui/notice.tsx';
import { useLoad } from '../ui/use-load.ts';
import {
  type CapabilityRow,
  capabilityPatch,
  capabilityRows,
  type PatchOperation,
  warningsFor,
} from './capability-change.ts';

export function UserView({ id }: { id: string }) {
  const { value, fault, reload } = useLoad(id, (signal) => readAuthUser(id, signal));
  const [changed, setChanged] = useState<TaggedUser | null>(null);
  if (fault?.kind === 'missing') {
    return (
      <Empty icon="people" title="Auth user not found">
        The link may be incomplete, or the identity has no auth user.{' '}
        <a href="#/users">Find another user</a>
      </Empty>
    );
  }
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting lines={8} />;
  const discardAndReload = () => {
    setChanged(null);
    reload();
  };
  const shown = changed ?? value;
  return (
    <UserDetails
      tagged={shown}
      key={shown.etag}
      onChanged={setChanged}
      onReload={discardAndReload}
    />
  );
}

interface UserDetailsProps {
  readonly tagged: TaggedUser;
  readonly onChanged: (tagged: TaggedUser) => void;
  readonly onReload: () => void;
}

function UserDetails({ tagged, onChanged, onReload }: UserDetailsProps) {
  const { user, etag } = tagged;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(user.capabilities));
  const patch = capabilityPatch(user.capabilities, chosen);
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    setChosen(next);
  };
  const isOneself = session.get()?.identityId === user.id;
  return (
    <article class="document">
      <header class="document-head">
        <p class="quiet">Auth user{isOneself && ' (you)'}</p>
        <h1>{user.displayName}</h1>
        <p class="document-sub">{[user.uid, user.email].filter(Boolean).join(' · ')}</p>
        <p class="quiet">
          {user.lastLoginTimestamp > 0
            ? `Last signed in ${instantText(new Date(user.lastLoginTimestamp).toISOString())} UTC`
            : 'Never signed in'}
        </p>
        <div class="buttons">
          <a class="button" href="#/users">
            <Icon name="back" size={16} /> All users
          </a>
          <a class="button" href={`#/document/identities/${encodeURIComponent(user.id)}`}>
            <Icon name="people" size={16} /> Identity
          </a>
        </div>
      </header>
      <div class="document-body user-columns">
        <section aria-label="Capabilities">
          <h2>
            Capabilities <span class="quiet">{user.capabilities.length}</span>
          </h2>
          <ul class="capabilities">
            {capabilityRows(user.capabilities).map((row) => (
              <Capability
                key={row.name}
                row={row}
                isHeld={user.capabilities.includes(row.name)}
                isChosen={chosen.has(row.name)}
                onToggle={() => toggle(row.name)}
              />
            ))}
          </ul>
        </section>
        <Change
          id={user.id}
          etag={etag}
          patch={patch}
          warnings={warningsFor(user.capabilities, chosen, isOneself)}
          onChanged={onChanged}
          onReload={onReload}
          onReset={() => setChosen(new Set(user.capabilities))}
        />
      </div>
      <div class="document-body">
        <Related
          title="History"
          index="events"
          query={`attributes.targetId:${printValue(user.id)}`}
          key={etag}
        />
      </div>
    </article>
  );
}

interface CapabilityProps {
  readonly row: CapabilityRow;
  readonly isHeld: boolean;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

function Capability({
  row: { name, grants, assignable },
  isHeld,
  isChosen,
  onToggle,
}: CapabilityProps) {
  const state = isHeld === isChosen ? '' : isChosen ? 'added' : 'removed';
  return (
    <li class="capability" data-change={state}>
      <label>
        <input
          type="checkbox"
          checked={isChosen}
          disabled={!assignable && !isHeld}
          onChange={onToggle}
        />
        <span class="capability-name">{name}</span>
        {state !== '' && (
          <span class="chip">{state === 'added' ? 'will be added' : 'will be removed'}</span>
        )}
      </label>
      <p class="quiet">
        {assignable
          ? grants.join(' · ') || 'Not used by Cardea; other applications may read it'
          : 'Cannot be assigned'}
      </p>
    </li>
  );
}

interface ChangeProps {
  readonly id: string;
  readonly etag: string;
  readonly patch: readonly PatchOperation[];
  readonly warnings: readonly string[];
  readonly onChanged: (tagged: TaggedUser) => void;
  readonly onReload: () => void;
  readonly onReset: () => void;
}

function Change({ id, etag, patch, warnings, onChanged, onReload, onReset }: ChangeProps) {
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setFault(null);
    try {
      onChanged(await patchAuthUser(id, patch, etag));
    } catch (error) {
      setFault(asFault(error));
    }
    setBusy(false);
  };
  return (
    <section class="change" aria-label="Change">
      <h2>Change</h2>
      {patch.length === 0 ? (
        <p class="quiet">No changes. Select the capabilities that the user should have.</p>
      ) : (
        <>
          <p class="quiet">JSON Patch to send:</p>
          <pre class="code" data-testid="patch">
            {patch.map((operation) => JSON.stringify(operation)).join('\n')}
          </pre>
        </>
      )}
      {warnings.map((warning) => (
        <p class="notice notice-plain" key={warning}>
          <Icon name="alert" size={16} /> {warning}
        </p>
      ))}
      {fault !== null && <Refused fault={fault} onReload={onReload} />}
      <div class="buttons">
        <button
          type="button"
          class="button button-main"
          disabled={patch.length === 0 || busy}
          onClick={send}
        >
          {busy ? 'Sending…' : 'Apply'}
        </button>
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
