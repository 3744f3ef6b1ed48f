import { DONE, type Executor } from '../../support/context.js';
import { StepError } from '../../support/read-vm.js';

/** Every config depends on the secrets, so they are created before a run begins. */
export const createSecrets: Executor<'create-secrets'> = async (step, { machines }) => {
  if (machines?.hasSecrets) return DONE;
  throw new StepError('apply.secrets-first', `cluster secrets not found: ${step.path}`, {
    advice: 'run apply without a saved plan',
  });
};
