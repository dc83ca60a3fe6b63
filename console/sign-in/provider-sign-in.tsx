// The button that leaves for the OpenID provider, and why the last sign-in there failed.
import { useState } from 'preact/hooks';
import type { OpenIdSettings } from '../api/settings.ts';
import { Button } from '../ui/forms/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useCell } from '../ui/use-cell.ts';
import { beginSignIn, signInFault } from './provider-session.ts';

export function ProviderSignIn({ client }: { client: OpenIdSettings }) {
  const fault = useCell(signInFault);
  const [busy, setBusy] = useState(false);
  const begin = async (isFresh: boolean) => {
    setBusy(true);
    await beginSignIn(client, isFresh);
    setBusy(false);
  };
  return (
    <>
      {fault !== null && (
        <div class="notice notice-bad" role="alert">
          <Icon name="alert" />
          <div class="notice-body">
            <p class="notice-title">{fault.title}</p>
            <p>{fault.message}</p>
            <p class="quiet">{fault.advice}</p>
            {fault.isAboutUser && (
              <Button class="button" isIdle={busy} onClick={() => void begin(true)}>
                Sign in as another user
              </Button>
            )}
          </div>
        </div>
      )}
      <Button class="button button-main" isIdle={busy} onClick={() => void begin(false)}>
        {busy ? 'Signing in…' : client.label}
      </Button>
    </>
  );
}
