/** What a rehearsal foretells is what happens: upgrades, and changes of what machines run with. */
import { foretells } from '../../support/foretells.js';
import { edited } from '../../support/situations.js';

foretells([
  edited('talos: v1.14.1'),
  edited('cluster: Kubernetes v1.35.0'),
  edited('work-1: Talos v1.14.1'),
  edited('talos: another extension'),
  edited('patch all: environment'),
  edited('patch all: sysctl'),
  edited('patch worker: kubelet flags'),
  edited('cluster: API server flags'),
  edited('cluster: another VIP'),
  edited('work-1: taint'),
]);
