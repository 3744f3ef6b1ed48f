/** Partitions of the EPHEMERAL disk are made when Talos first formats it; there is no room for one later. */
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import type { Problem } from '../plan.js';

/** Documents of the config that a machine runs with, and of the one it should have. */
export function partitionProblems(node: string, from: readonly Mapping[], to: readonly Mapping[]): Problem[] {
  const [then, now] = [from, to].map((documents) => ({
    disk: diskOf(documents.find(({ kind, name }) => kind === 'VolumeConfig' && name === 'EPHEMERAL')),
    volumes: new Map(
      documents
        .filter(({ kind, volumeType }) => kind === 'UserVolumeConfig' && volumeType !== 'directory')
        .map((document) => [String(document.name), diskOf(document)]),
    ),
  }));
  // A machine whose config says nothing of EPHEMERAL was not made by oxherd: its disks are not known.
  if (!then?.disk || !now?.disk) return [];
  const problem = (message: string, advice: string): Problem => ({
    code: 'partition-place',
    scope: 'plan',
    node,
    message,
    advice,
  });
  return [...now.volumes].flatMap(([name, disk]): Problem[] => {
    const isPart = disk === now.disk;
    const before = then.volumes.get(name);
    if (isPart && before === undefined)
      return [
        problem(
          `${node} runs, and its EPHEMERAL disk has no partition ${name}: Talos creates them at the first boot only`,
          `write place: disk for volumes.${name}, which gives it a disk of its own; or place: ephemeral with a node that is new`,
        ),
      ];
    if (before === undefined || isPart === (before === then.disk)) return [];
    return [
      problem(
        isPart
          ? `${name} of ${node} has a disk of its own, and oxherd.yaml puts it on the EPHEMERAL disk: its data would stay behind`
          : `${name} of ${node} is a partition of the EPHEMERAL disk, and oxherd.yaml gives it a disk of its own: its data would stay behind`,
        `write place: ${isPart ? 'disk' : 'ephemeral'} for volumes.${name}; to move the data create a volume with another name and copy it`,
      ),
    ];
  });
}

function diskOf(document: Mapping | undefined): string | undefined {
  const provisioning = isMapping(document?.provisioning) ? document.provisioning : {};
  const selector = isMapping(provisioning.diskSelector) ? provisioning.diskSelector : {};
  return typeof selector.match === 'string' ? selector.match : undefined;
}
