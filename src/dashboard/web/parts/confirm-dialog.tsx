/** Asks before something is written: what would be done, then yes or no; a name is typed where one is demanded. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { NameToType } from '../../../session/confirm/confirmation.js';
import type { ErrorView } from '../../api.js';
import { failed } from '../state/store.js';
import { Failure } from './notice.js';

export function ConfirmDialog({
  question,
  action,
  name,
  onConfirm,
  onClose,
  children,
}: {
  readonly question: string;
  /** On the button that says yes. */
  readonly action: string;
  readonly name?: NameToType;
  /** Rejects with what the server refused; the dialog shows it and stays. */
  readonly onConfirm: (typed: string) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const first = useRef<HTMLElement | null>(null);
  const heading = useId();
  const typed = useSignal('');
  const busy = useSignal(false);
  const error = useSignal<ErrorView | undefined>(undefined);
  useEffect(() => {
    dialog.current?.showModal();
    // As in a terminal the answer is no until someone says yes.
    first.current?.focus();
  }, []);
  const confirm = async (): Promise<void> => {
    busy.value = true;
    error.value = undefined;
    try {
      await onConfirm(typed.value);
      dialog.current?.close();
    } catch (cause) {
      error.value = failed(cause);
      busy.value = false;
    }
  };
  return (
    <dialog
      ref={dialog}
      class="confirm"
      aria-labelledby={heading}
      onClose={onClose}
      onCancel={(event) => busy.value && event.preventDefault()}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <h2 id={heading}>{question}</h2>
        {children}
        {name && (
          <label class="typed">
            <span>
              {name.what}. Type <strong>{name.name}</strong> to confirm
            </span>
            <input
              ref={(input) => {
                first.current = input;
              }}
              autocomplete="off"
              spellcheck={false}
              value={typed.value}
              onInput={(event) => {
                typed.value = event.currentTarget.value;
              }}
            />
          </label>
        )}
        {error.value && <Failure error={error.value} />}
        <div class="actions">
          <button
            ref={(button) => {
              if (!name) first.current = button;
            }}
            type="button"
            disabled={busy.value}
            onClick={() => dialog.current?.close()}
          >
            Cancel
          </button>
          <button
            type="submit"
            class="primary"
            disabled={busy.value || (name !== undefined && typed.value !== name.name)}
          >
            {busy.value ? 'Checking …' : action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
