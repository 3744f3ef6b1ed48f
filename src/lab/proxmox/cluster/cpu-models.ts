/** CPU models of the cluster's own. */
import { type Call, type Handlers, PveError } from '../api.js';
import { withClusterLock } from '../quorum.js';

const MAY_SEE = ['Mapping.Audit', 'Mapping.Use', 'Mapping.Modify'];

export const cpuModelHandlers: Handlers = {
  'GET /cluster/qemu': () => [{ subdir: 'cpu-flags' }, { subdir: 'custom-cpu-models' }],
  'GET /cluster/qemu/custom-cpu-models': (call) =>
    [...call.pve.db.cpuModels.values()]
      .filter(({ id }) => call.allows(`/mapping/cpu/${id}`, MAY_SEE, { any: true }))
      .map((model) => describe(model)),
  'GET /cluster/qemu/custom-cpu-models/{cputype}': (call) => {
    const model = call.pve.db.cpuModels.get(name(call));
    if (!model) throw new PveError(500, `Custom cputype '${name(call)}' not found`);
    return describe(model);
  },
  'POST /cluster/qemu/custom-cpu-models': (call) =>
    withClusterLock(call.pve, 'cpu-models_conf', '', () => {
      const { cputype: _, ...settings } = call.params;
      if (call.pve.db.cpuModels.has(name(call))) {
        throw new PveError(500, `Custom cputype '${name(call)}' already exists`);
      }
      call.pve.db.cpuModels.put(name(call), { id: name(call), ...settings });
      return null;
    }),
  'DELETE /cluster/qemu/custom-cpu-models/{cputype}': (call) =>
    withClusterLock(call.pve, 'cpu-models_conf', '', () => {
      call.pve.db.cpuModels.delete(name(call));
      return null;
    }),
};

const name = (call: Call) => (call.text('cputype') ?? '').replace(/^custom-/, '');

function describe({ id, ...settings }: { id: string }): Record<string, unknown> {
  return { cputype: `custom-${id}`, 'reported-model': 'kvm64', ...settings };
}
