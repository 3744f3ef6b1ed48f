/** The page of a fleet: whoever opens it brings a token of the Kubernetes API, which stays in this tab. */
import { useSignal } from '@preact/signals';
import { Card } from '../parts/notice.js';
import { signIn } from '../state/client.js';
import { enterFleet } from '../state/store.js';

export function SignIn({ command }: { readonly command: string }) {
  const token = useSignal('');
  const tried = useSignal(false);
  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    signIn(token.value);
    await enterFleet();
    tried.value = true;
  };
  return (
    <main>
      <h1 tabIndex={-1}>oxherd</h1>
      <Card title="Sign in">
        <p>This page shows the clusters that you may see in Kubernetes, and only reads.</p>
        <form class="sign-in" onSubmit={enter}>
          <label>
            Token of the Kubernetes API
            <input
              type="password"
              autocomplete="off"
              required
              onInput={(event) => {
                token.value = event.currentTarget.value;
              }}
            />
          </label>
          <button type="submit">Sign in</button>
        </form>
        {tried.value && <p role="alert">The Kubernetes API does not know this token.</p>}
        <p class="soft">{command}. The token stays in this tab.</p>
      </Card>
    </main>
  );
}
