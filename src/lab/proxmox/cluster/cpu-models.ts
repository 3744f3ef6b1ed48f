/** CPU models of the cluster's own (pve-manager, PVE/API2/Cluster/Qemu/CustomCPUModels.pm). */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { withClusterLock } from '../quorum.js';
import { assertDigest, changeSection, digestOfText, sectionOptions } from '../section-config.js';
import { splitList } from '../validation/formats.js';

const MAY_SEE = ['Mapping.Audit', 'Mapping.Use', 'Mapping.Modify'];
const PATH = '/cluster/qemu/custom-cpu-models';
const OPTIONS = sectionOptions(
  'cputype reported-model hidden hv-vendor-id flags phys-bits guest-phys-bits level',
);
const NEEDED = ['cputype', 'reported-model'];

export const cpuModelHandlers: Handlers = {
  'GET /cluster/qemu': () => [{ name: 'cpu-flags' }, { name: 'custom-cpu-models' }],
  [`GET ${PATH}`]: (call) =>
    [...call.pve.db.cpuModels.values()]
      .filter(({ id }) => call.allows(`/mapping/cpu/${id}`, MAY_SEE, { any: true }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((model) => describe(call.pve, model)),
  [`GET ${PATH}/{cputype}`]: (call) => {
    const model = call.pve.db.cpuModels.get(name(call));
    if (!model) throw new PveError(500, `Custom cputype '${name(call)}' not found`);
    return describe(call.pve, model);
  },
  [`POST ${PATH}`]: (call) =>
    change(call, () => {
      const { cputype: _, ...settings } = call.params;
      if (call.pve.db.cpuModels.has(name(call))) {
        throw new PveError(500, `custom CPU model '${name(call)}' already exists`);
      }
      call.pve.db.cpuModels.put(name(call), { id: name(call), ...settings });
    }),
  [`PUT ${PATH}/{cputype}`]: (call) => {
    const { cputype: _cputype, digest, delete: given, ...settings } = call.params;
    const remove = splitList(String(given ?? ''));
    const needed = NEEDED.find((option) => remove.includes(option));
    if (needed !== undefined) throw new PveError(500, `cannot delete '${needed}'`);
    return change(call, () => {
      assertDigest(digest, digestOf(call.pve));
      const { id, ...model } = requireModel(call);
      call.pve.db.cpuModels.put(id, { id, ...changeSection(OPTIONS, model, settings, remove) });
    });
  },
  [`DELETE ${PATH}/{cputype}`]: (call) =>
    change(call, () => void call.pve.db.cpuModels.delete(requireModel(call).id)),
};

const name = (call: Call) => (call.text('cputype') ?? '').replace(/^custom-/, '');

function change(call: Call, work: () => void): Promise<null> {
  return withClusterLock(call.pve, 'cpu-models_conf', '', () => {
    work();
    return null;
  });
}

function requireModel(call: Call): { readonly id: string } {
  const model = call.pve.db.cpuModels.get(name(call));
  if (!model) throw new PveError(500, `custom CPU model '${name(call)}' does not exist`);
  return model;
}

function digestOf({ db }: Pick<Pve, 'db'>): string {
  return digestOfText([...db.cpuModels.values()]);
}

function describe(pve: Pve, { id, ...settings }: { id: string }): Record<string, unknown> {
  return { cputype: `custom-${id}`, 'reported-model': 'kvm64', ...settings, digest: digestOf(pve) };
}
