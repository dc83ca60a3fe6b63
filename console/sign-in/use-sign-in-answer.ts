// Finishes a sign-in that the address carries: the code of a link that the service printed, or the
// answer of the OpenID provider.
import { useEffect, useState } from 'preact/hooks';
import type { Route } from '../ui/route.ts';
import { isProviderAnswer, takeFlow } from './provider-flow.ts';
import { finishSignIn } from './provider-session.ts';
import { followLink } from './sign-in-link.ts';

/** True until the sign-in has succeeded or failed. */
export function useSignInAnswer({ path: [name], parameters }: Route): boolean {
  const [isFinishing, setFinishing] = useState(
    name === 'sign-in' || isProviderAnswer(location.search),
  );
  useEffect(() => {
    if (!isProviderAnswer(location.search)) {
      // A sign-in that was given up, such as with the button Back.
      takeFlow(sessionStorage);
      return;
    }
    void finishSignIn().then(() => setFinishing(false));
  }, []);
  useEffect(() => {
    if (name !== 'sign-in') return;
    setFinishing(true);
    void followLink(parameters.get('code') ?? '').then(() => setFinishing(false));
  }, [name]);
  return isFinishing;
}
