import { OxherdError } from '../../../model/error.js';
import { DONE, type Executor } from '../../support/context.js';
import { adminOf } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';

export const pullImages: Executor<'pull-images'> = async (step, context) => {
  const talos = adminOf(context, step.ip);
  for (const { image, kubelet } of step.images) {
    context.progress(image);
    try {
      await talos.pullImage(image, kubelet ? 'kubelet' : 'pod');
    } catch (cause) {
      const why = OxherdError.from(cause).message;
      throw new StepError('apply.pull', `${image} cannot be pulled on ${step.node}: ${why}`, {
        advice: 'Kubernetes is unchanged; make the image reachable for the node, then run apply again',
        cause,
      });
    }
  }
  return DONE;
};
