/** The simulated Kubernetes API that a fleet lives on, in a process of its own. Started with `fork`; tells where it is. */
import { startLab } from '../../.build/lab/index.js';
import { startRecordingsKubernetes } from '../../.build/lab/kubernetes/recordings-profile.js';

const lab = await startLab();
const { ready } = await startRecordingsKubernetes(lab.core);
process.send(ready);
process.on('disconnect', () => process.exit());
