/** The daily commands of talosctl v1.14: exit code and shape of the output as with real machines. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missing, NODE, type ServedCluster, serveCluster } from './served-cluster.js';

const skipped = await missing('talosctl', 'version', '--client');

/** Command, and what it prints. In order: later ones stand on what earlier ones did. */
const READS: readonly [command: string, shape: RegExp][] = [
  ['version --short', /Server:[\s\S]*Tag:\s+v1\.14\.1|Talos v1\.14\.1/],
  ['get rd', /^NODE\s+NAMESPACE\s+TYPE\s+ID\s+VERSION\s+ALIASES\n[\s\S]*machineconfigs\.config\.talos\.dev/],
  ['get disks', /^NODE\s+NAMESPACE\s+TYPE\s+ID\s+VERSION\s+SIZE\s+READ ONLY\s+TRANSPORT[\s\S]*\bsda\b/],
  [
    'get mc -o yaml',
    /metadata:\n\s+namespace: config\n\s+type: MachineConfigs\.config\.talos\.dev[\s\S]*spec: \|/,
  ],
  ['get mc v1alpha1 -o json', /"id": "v1alpha1"/],
  ['get members', /HOSTNAME\s+MACHINE TYPE\s+OS\s+ADDRESSES\n.*controlplane\s+Talos \(v1\.14\.1\)/],
  ['get volumestatus', /EPHEMERAL\s+\d+\s+partition\s+ready/],
  ['get dv', /partition\s+\S+ \S+\s+xfs\s+EPHEMERAL/],
  ['get links', /eth0\s+\d+.*up\s+true/],
  ['get addresses', /192\.168\.1\.60\/24\s+eth0/],
  ['get routes', /192\.168\.1\.1\s+eth0\s+1024/],
  ['get machinestatus', /STAGE\s+READY\n.*running\s+true/],
  ['get nodename', /NODENAME\n.*\bone\n/],
  ['get svc etcd -o jsonpath={.spec.healthy}', /^true/],
  ['services', /SERVICE\s+STATE\s+HEALTH\s+LAST CHANGE\s+LAST EVENT\n[\s\S]*kubelet\s+Running\s+OK/],
  ['service etcd', /ID\s+etcd\nSTATE\s+Running\nHEALTH\s+OK/],
  ['etcd members', /HOSTNAME\s+PEER URLS\s+CLIENT URLS\s+LEARNER\n.*one\s+https:\/\/192\.168\.1\.60:2380/],
  ['etcd status', /DB SIZE\s+IN USE\s+LEADER\s+RAFT INDEX/],
  ['etcd alarm list', /^$/],
  ['dmesg', /Talos v1\.14\.1/],
  ['logs kubelet', /kubelet/],
  ['memory', /TOTAL\s+USED\s+FREE[\s\S]*\d+/],
  ['mounts', /FILESYSTEM\s+SIZE\(GB\)[\s\S]*\/var\n/],
  ['processes', /PID\s+STATE\s+THREADS[\s\S]*\/sbin\/init/],
  ['containers', /NAMESPACE\s+ID\s+IMAGE\s+PID\s+STATUS\n[\s\S]*system\s+apid/],
  ['containers -k', /k8s\.io[\s\S]*kube-apiserver/],
  ['stats', /MEMORY\(MB\)\s+CPU/],
  ['netstat -l', /tcp\s+\d+\s+\d+\s+0\.0\.0\.0:50000/],
  ['ls -l /', /MODE\s+UID\s+GID[\s\S]*drwxr-xr-x/],
  ['du -d 1 /var', /SIZE\s+NAME/],
  ['read /proc/sys/kernel/random/boot_id', /^[0-9a-f-]{36}\n$/],
  ['time', /NTP-SERVER\s+NODE-TIME\s+NTP-SERVER-TIME\n.*time\.cloudflare\.com/],
  ['image ls', /^NODE\s+IMAGE\s+DIGEST\s+SIZE\s+LABELS\s+CREATED\n[\s\S]*kube-apiserver:v1\.36\.0\s+sha256:/],
  ['get kubeletspec', /kubelet\s+1\n/],
  [
    'get apiserverconfig -o yaml',
    /id: final-kube-apiserver\n[\s\S]*image: registry\.k8s\.io\/kube-apiserver:v1\.36\.0/,
  ],
  ['logs --namespace cri kube-system/kube-apiserver-one:kube-apiserver', /kube-apiserver/],
  ['etcd alarm disarm', /^$/],
  ['etcd defrag', /^$/],
  ['service kubelet restart', /Service "kubelet" restarted/],
  ['support -O support.zip', /^/],
  [
    'rotate-ca --control-plane-nodes 192.168.1.60',
    /Current Talos CA:\n {2}crt: \S+\n[\s\S]*Removing old Talos CA from the accepted CAs/,
  ],
  ['etcd snapshot snapshot.db', /snapshot info: hash [0-9a-f]{8}, revision \d+, total keys \d+/],
  ['kubeconfig -f fresh-kubeconfig', /^$/],
];

const REFUSALS: readonly [command: string, error: RegExp][] = [
  ['get nosuch', /resource "nosuch" is not registered/],
  ['read /nosuch', /no such file or directory/],
  ['logs nosuch', /log "nosuch" was not registered/],
  ['service nosuch', /service "nosuch" is not registered|not found|nosuch/],
  [`image pull factory.talos.dev/nocloud-installer/${'f'.repeat(64)}:v1.14.1`, /not found/],
  ['copy /etc copied', /code = Unimplemented desc = unknown method Copy/],
  ['pcap -i eth0 --duration 1s', /code = Unimplemented desc = unknown method PacketCapture/],
  ['meta write 0xa one', /code = Unimplemented/],
  ['service apid restart', /doesn't support restart operation via API/],
  ['wipe disk sdx', /code = NotFound desc = blockdevice "sdx" not found/],
  ['inspect dependencies', /code = Unimplemented desc = unknown service inspect\.InspectService/],
  ['rollback', /previous boot entry not found/],
];

describe.skipIf(skipped !== '')(`talosctl${skipped}`, () => {
  let cluster: ServedCluster;
  beforeAll(async () => {
    cluster = await serveCluster();
  }, 240_000);
  afterAll(() => cluster?.close());
  const talosctl = (command: string, ...more: string[]) =>
    cluster.run('talosctl', ['-n', NODE, ...command.split(' '), ...more]);

  it.each(READS)('%s', async (command, shape) => {
    const { exit, stdout, stderr } = await talosctl(command);
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout + stderr).toMatch(shape);
  });

  it.each(REFUSALS)('%s is refused', async (command, error) => {
    const { exit, stderr, stdout } = await talosctl(command);
    expect(exit).toBe(1);
    expect(stderr + stdout).toMatch(error);
  });

  it('patches, edits and tries a machine config', async () => {
    const label = (value: string) => ['-p', `{"machine":{"nodeLabels":{"tier":"${value}"}}}`];
    const patched = await talosctl('patch mc', ...label('a'));
    expect(patched).toMatchObject({ exit: 0 });
    expect(patched.stderr).toContain('Applied configuration without a reboot');
    const tried = await talosctl('patch mc --mode try --timeout 30s', ...label('b'));
    expect(tried.stderr).toContain("applied in 'try' mode and will be automatically reverted back in 30s");
    const unchanged = await cluster.run('env', ['EDITOR=true', 'talosctl', '-n', NODE, 'edit', 'mc']);
    expect(unchanged.stderr).toContain('Apply was skipped: no changes detected.');
  });

  it('waits for the health of the cluster', async () => {
    const { exit, stderr } = await talosctl('health --wait-timeout 120s');
    expect(exit).toBe(0);
    expect(stderr).toContain('waiting for all k8s nodes to report schedulable: OK');
  });

  it('reboots and waits for another boot id', async () => {
    const before = (await talosctl('read /proc/sys/kernel/random/boot_id')).stdout;
    const { exit, stderr } = await talosctl('reboot --wait');
    expect(exit).toBe(0);
    expect(stderr).toContain('post check passed');
    expect((await talosctl('read /proc/sys/kernel/random/boot_id')).stdout).not.toBe(before);
  });

  it('upgrades Kubernetes', async () => {
    expect((await talosctl('health --wait-timeout 120s')).exit).toBe(0);
    const tried = await talosctl('upgrade-k8s --dry-run --to 1.36.1');
    expect(tried.exit, tried.stdout + tried.stderr).toBe(0);
    const upgraded = await talosctl('upgrade-k8s --to 1.36.1');
    expect(upgraded.exit, upgraded.stdout + upgraded.stderr).toBe(0);
    const { stdout } = await talosctl('get schedulerconfig -o yaml');
    expect(stdout).toContain('image: registry.k8s.io/kube-scheduler:v1.36.1');
    expect(upgraded.stdout + upgraded.stderr).toContain('waiting for kubelet restart');
  });

  it('upgrades, waits, and goes back', async () => {
    const extensions = (await talosctl('get extensions -o yaml')).stdout;
    const schematic = /name: schematic\n\s+version: (\w+)/.exec(extensions)?.[1];
    const image = `factory.talos.dev/nocloud-installer/${schematic}:v1.14.1`;
    const upgraded = await talosctl(`upgrade --wait --image ${image}`);
    expect(upgraded.exit, upgraded.stderr).toBe(0);
    const back = await talosctl('rollback');
    expect(back.exit, back.stderr).toBe(0);
  });
});
