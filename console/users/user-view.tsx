// One auth user: the capabilities, what each opens, and a change of them, which is shown as the JSON Patch that it is
// before anything is sent. Somebody else's change meanwhile is never overwritten: the service is told which state was
// seen.
import { useState } from 'preact/hooks';
import { patchAuthUser, readAuthUser, type TaggedUser } from '../api/auth-users-api.ts';
import { type ApiFault, asFault } from '../api/fault.ts';
import { session } from '../api/session.ts';
import { Related } from '../document/related.tsx';
import { writtenValue } from '../search/completion.ts';
import { instantText } from '../search/document-value.ts';
import { Icon } from '../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../ui/notice.tsx';
import { useLoad } from '../ui/use-load.ts';
import {
  type CapabilityRow,
  capabilityPatch,
  capabilityRows,
  concernsOf,
  type PatchOperation,
} from './capability-change.ts';

export function UserView({ id }: { id: string }) {
  const { value, fault, again } = useLoad(id, (signal) => readAuthUser(id, signal));
  const [changed, setChanged] = useState<TaggedUser | null>(null);
  if (fault?.kind === 'missing') {
    return (
      <Empty icon="people" title="There is no such auth user">
        An identity of which nobody signs in has none; or the address was cut.{' '}
        <a href="#/users">Look for another</a>
      </Empty>
    );
  }
  if (fault !== null) return <FaultNotice fault={fault} again={again} />;
  if (value === undefined) return <Waiting lines={8} />;
  const reload = () => {
    setChanged(null);
    again();
  };
  const shown = changed ?? value;
  return <Shown tagged={shown} key={shown.etag} onChanged={setChanged} onReload={reload} />;
}

interface ShownProps {
  readonly tagged: TaggedUser;
  readonly onChanged: (tagged: TaggedUser) => void;
  readonly onReload: () => void;
}

function Shown({ tagged, onChanged, onReload }: ShownProps) {
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
            : 'Has never signed in'}
        </p>
        <div class="buttons">
          <a class="button" href="#/users">
            <Icon name="back" size={16} /> All
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
          concerns={concernsOf(user.capabilities, chosen, isOneself)}
          onChanged={onChanged}
          onReload={onReload}
          onReset={() => setChosen(new Set(user.capabilities))}
        />
      </div>
      <div class="document-body">
        <Related
          title="History"
          index="events"
          query={`attributes.targetId:${writtenValue(user.id)}`}
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
  row: { name, opens, assignable },
  isHeld,
  isChosen,
  onToggle,
}: CapabilityProps) {
  const state = isHeld === isChosen ? '' : isChosen ? 'come' : 'go';
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
          <span class="chip">{state === 'come' ? 'will be added' : 'will be removed'}</span>
        )}
      </label>
      <p class="quiet">
        {assignable
          ? opens.join(' · ') || 'Not used by Cardea; other applications may read it'
          : 'Cannot be given'}
      </p>
    </li>
  );
}

interface ChangeProps {
  readonly id: string;
  readonly etag: string;
  readonly patch: readonly PatchOperation[];
  readonly concerns: readonly string[];
  readonly onChanged: (tagged: TaggedUser) => void;
  readonly onReload: () => void;
  readonly onReset: () => void;
}

function Change({ id, etag, patch, concerns, onChanged, onReload, onReset }: ChangeProps) {
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
        <p class="quiet">Nothing is changed. Choose what the person shall hold.</p>
      ) : (
        <>
          <p class="quiet">This is sent, as a JSON Patch:</p>
          <pre class="code" data-part="patch">
            {patch.map((operation) => JSON.stringify(operation)).join('\n')}
          </pre>
        </>
      )}
      {concerns.map((concern) => (
        <p class="notice notice-plain" key={concern}>
          <Icon name="alert" size={16} /> {concern}
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

const LAST = /at least one user with ORG_ADMIN/;

function Refused({ fault, onReload }: { fault: ApiFault; onReload: () => void }) {
  if (fault.kind === 'changed') {
    return (
      <div class="notice notice-bad" role="alert">
        <Icon name="alert" />
        <div class="notice-body">
          <p class="notice-title">Somebody else changed this user meanwhile</p>
          <p>Nothing of yours was kept. See what it is now, and choose again.</p>
          <button type="button" class="button" onClick={onReload}>
            Load again
          </button>
        </div>
      </div>
    );
  }
  if ([fault.message, ...fault.causes].some((sentence) => LAST.test(sentence))) {
    return (
      <div class="notice notice-bad" role="alert">
        <Icon name="shield" />
        <div class="notice-body">
          <p class="notice-title">This is the last administrator</p>
          <p>
            Nobody else in the tenant holds ORG_ADMIN, and without one nobody could give it back.
            Give it to somebody else first. Nothing was changed.
          </p>
        </div>
      </div>
    );
  }
  return <FaultNotice fault={fault} />;
}
