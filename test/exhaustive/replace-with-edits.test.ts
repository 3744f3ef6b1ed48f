/** `replace` while oxherd.yaml has edits that are not applied yet: the node comes back, and so does the former file. */
import { expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { converges, smallClusterForTests } from '../support/small-cluster.js';
import { type SmallFile, smallFile } from '../support/small-file.js';

const small = smallClusterForTests();
const WORKER = 151;

const RENAMED = 'fresh: { type: disk, size: 2GiB, was: data }';
const worker = (options: string): SmallFile => ({ worker: `, ${options}` });
const text = (options: SmallFile, change: (file: string) => string = (file) => file) =>
  change(smallFile(options));
const readdressed = (file: string) => file.replace('10.20.30.51', '10.20.30.61');

const EDITS: Readonly<Record<string, string>> = {
  mac: text(worker('mac: "BC:24:11:22:33:44"')),
  ip: text({}, readdressed),
  'mac and ip': text(worker('mac: "BC:24:11:22:33:44"'), readdressed),
  vlan: text(worker('vlan: 7')),
  memory: text(worker('memory: 6GiB')),
  bios: text(worker('bios: ovmf')),
  'bios and mac': text(worker('bios: ovmf, mac: "BC:24:11:22:33:44"')),
  'renamed volume': text({ volumes: [RENAMED] }),
  'renamed volume and ip': text({ volumes: [RENAMED] }, readdressed),
  'renamed volume and mac': text({ volumes: [RENAMED], ...worker('mac: "BC:24:11:22:33:44"') }),
  'new volume': text({ volumes: ['data: { type: disk, size: 2GiB }', 'more: { type: disk, size: 1GiB }'] }),
  'removed volume': text({ volumes: [] }),
  'removed volume and ip': text({ volumes: [] }, readdressed),
  host: text({}, (file) => file.replace(/(work-1: \{ role: worker, host: )pve2/, '$1pve3')),
  'host and ip': text({}, (file) =>
    readdressed(file.replace(/(work-1: \{ role: worker, host: )pve2/, '$1pve3')),
  ),
  label: text(worker('labels: { a: b }')),
};

it.each(Object.keys(EDITS))('%s', async (name) => {
  const folder = await small.folder();
  folder.config = EDITS[name] ?? '';
  ended(await folder.lab('replace', 'work-1', '--yes'));
  await converges(folder);
  expect(ended(await folder.lab('status'))).toMatch(/Healthy/);
  folder.config = smallFile();
  await converges(folder);
  await small.nothingIsLost(folder, [await small.wwnAt(WORKER, 'scsi0')]);
});
