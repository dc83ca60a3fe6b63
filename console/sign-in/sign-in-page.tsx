// The sign-in page: with the OpenID provider if there is one, else with client credentials, which
// are sent once and not stored, or an access token.
import { useState } from 'preact/hooks';
import { requestToken } from '../api/client.ts';
import { asFault } from '../api/fault.ts';
import { endReason, startSession, stopJoining } from '../api/session.ts';
import { isWaitingForSettings, settings } from '../api/settings.ts';
import mark from '../style/mark.svg';
import '../style/sign-in.css';
import { durationText } from '../model/amount.ts';
import { Button } from '../ui/forms/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Waiting } from '../ui/notice.tsx';
import { useCell } from '../ui/use-cell.ts';
import { signInFault } from './provider-session.ts';
import { ProviderSignIn } from './provider-sign-in.tsx';

type Way = 'credentials' | 'token';

export function SignInPage() {
  const why = useCell(endReason);
  const isWaiting = useCell(isWaitingForSettings);
  const { openid, idleSeconds } = useCell(settings);
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <header>
          <img src={mark} alt="" width={40} height={40} />
          <h1>Sign in to Cardea</h1>
        </header>
        {why !== null && (
          <p class="notice notice-plain" role="status">
            {why}
          </p>
        )}
        {isWaiting && <Waiting lines={2} />}
        {!isWaiting && openid === null && <CredentialsForm />}
        {!isWaiting && openid !== null && (
          <>
            <ProviderSignIn client={openid} />
            <details class="sign-in-others">
              <summary>Other ways to sign in</summary>
              <CredentialsForm />
            </details>
          </>
        )}
        <CredentialsHelp />
        <p class="quiet">
          You stay signed in while a tab of the console is open, and for {durationText(idleSeconds)}{' '}
          without activity. <a href="../docs/guide/">Guide</a> ·{' '}
          <a href="../docs/">API reference</a>
        </p>
      </div>
    </main>
  );
}

/** Where credentials come from, also the first ones, and what to do without any. */
function CredentialsHelp() {
  return (
    <details class="sign-in-others">
      <summary>Where does a client ID come from?</summary>
      <ul class="sign-in-help">
        <li>
          It is the ID of a personal access token, which has a secret that is shown once. Whoever is
          signed in creates one on the page <em>Tokens</em>.
        </li>
        <li>
          For somebody who has none, the operator of the server runs{' '}
          <code>cardea pat create --owner LOGIN --name console</code> there, which prints both.
        </li>
        <li>
          <code>cardea tenant create</code> printed those of the first administrator. Those of{' '}
          <code>cardea demo</code> are in <code>credentials.json</code> in its data directory.
        </li>
        <li>You are not an operator? Ask the administrators of your tenant.</li>
      </ul>
    </details>
  );
}

function CredentialsForm() {
  const [way, setWay] = useState<Way>('credentials');
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setFault(null);
    signInFault.set(null);
    try {
      const token =
        way === 'token'
          ? text(form, 'token')
          : await requestToken(text(form, 'id'), text(form, 'secret'));
      if (!startSession(token)) setFault('The access token is invalid or has expired.');
    } catch (error) {
      setFault(asFault(error).message);
    }
    setBusy(false);
  };
  return (
    // Another tab that hands its session over would replace what is typed.
    <form class="sign-in-form" onSubmit={submit} onInput={stopJoining}>
      <fieldset class="choice">
        <legend class="unseen">Sign-in method</legend>
        <Choice way="credentials" chosen={way} choose={setWay} label="Client credentials" />
        <Choice way="token" chosen={way} choose={setWay} label="Access token" />
      </fieldset>
      {way === 'credentials' ? <Credentials /> : <Token />}
      {fault !== null && (
        <p class="field-fault" role="alert">
          <Icon name="alert" size={16} /> {fault}
        </p>
      )}
      <Button type="submit" class="button button-main" isIdle={busy}>
        {busy ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}

function Choice({
  way,
  chosen,
  choose,
  label,
}: {
  way: Way;
  chosen: Way;
  choose: (way: Way) => void;
  label: string;
}) {
  return (
    <label class="choice-option">
      <input type="radio" name="way" checked={way === chosen} onChange={() => choose(way)} />
      <span>{label}</span>
    </label>
  );
}

function Credentials() {
  return (
    <>
      <label class="field">
        <span>Client ID</span>
        <input name="id" required autoComplete="username" spellcheck={false} />
      </label>
      <label class="field">
        <span>Client secret</span>
        <input name="secret" type="password" required autoComplete="current-password" />
      </label>
    </>
  );
}

function Token() {
  return (
    <label class="field">
      <span>Access token</span>
      <textarea name="token" rows={5} required spellcheck={false} autoComplete="off" />
    </label>
  );
}

function text(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
