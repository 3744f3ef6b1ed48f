/** The machine's own kubectl against the lab, command by command as recorded from a real cluster. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { internalWrite } from '../../src/lab/kubernetes/api/options.js';
import type { SimulatedKubernetes } from '../../src/lab/kubernetes/index.js';
import { startWithKwok } from '../support/lab/kubernetes/with-kwok.js';

interface Command {
  readonly group: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly compare?: 'lines-include' | 'last-line' | 'sorted-unique-lines' | 'exit-only' | 'until-events';
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Result {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

const recorded: { commands: Command[] } = JSON.parse(
  readFileSync(new URL('../recordings/fixtures/kubernetes/kubectl.json', import.meta.url), 'utf8'),
);
const CONTROL_PLANES = 3;

function environment(folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    KUBECONFIG: join(folder, 'kubeconfig'),
    HOME: folder,
    KUBECACHEDIR: join(folder, 'cache'),
  };
}

function run(args: readonly string[], folder: string): Promise<Result> {
  const env = environment(folder);
  return new Promise((resolve) => {
    const child = execFile(
      'kubectl',
      [...args],
      { cwd: folder, env, timeout: 90_000 },
      (error, stdout, stderr) => {
        resolve({ exit: error ? (child.exitCode ?? -1) : 0, stdout, stderr });
      },
    );
  });
}

const present = await run(['version', '--client'], tmpdir());
const skipReason = present.exit === 0 ? '' : ' (skipped: no kubectl on this machine)';

/** As the recordings were normalised: their README says how. */
function normalised(text: string, node: string): string {
  return text
    .replace(/https:\/\/[\d.:]+/g, 'https://<server>')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replace(/\bweb-[a-z0-9]{6,10}-[a-z0-9]{5}\b/g, 'web-<hash>-<random>')
    .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<date>')
    .replace(/(HolderIdentity:\s+)\S+/g, '$1<holder>')
    .replaceAll(node === '' ? '\u0000' : node, 'NODE')
    .split('\n')
    .map((line) => line.replace(/\s{2,}/g, '  ').replace(/\s+$/, ''))
    .join('\n')
    .replace(/(?<= {2})(\d+[smhdy])+(?= {2}|$)/gm, '<age>');
}

function view(command: Command, text: string): string {
  const lines = text.split('\n');
  switch (command.compare) {
    case 'last-line':
      return lines.filter(Boolean).at(-1) ?? '';
    case 'sorted-unique-lines':
      return [...new Set(lines)].filter(Boolean).sort().join('\n');
    case 'until-events':
      return lines
        .slice(
          0,
          lines.findIndex((line) => line.startsWith('Events:')),
        )
        .filter((line) => !line.startsWith('PodCIDR'))
        .join('\n');
    default:
      return text;
  }
}

describe.skipIf(present.exit !== 0)(`kubectl on the lab${skipReason}`, () => {
  let folder = '';
  let lab: SimulatedKubernetes;
  let node = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oxherd-kubectl-'));
    lab = await startWithKwok(join(folder, 'kubeconfig'));
    for (let number = 1; number <= 6; number += 1) {
      lab.api.create(lab.api.type('nodes'), undefined, recordedNode(number), internalWrite('kwok'));
    }
    const settled = async () => {
      expect((await run(['get', 'nodes'], folder)).stdout).not.toMatch(/NotReady|Unknown/);
    };
    await vi.waitFor(settled, { timeout: 20_000, interval: 500 });
  });

  afterAll(async () => {
    await lab?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function perform(command: Command): Promise<Result> {
    for (const [file, text] of Object.entries(command.files ?? {})) writeFileSync(join(folder, file), text);
    const args = command.args.slice(1).map((arg) => (arg === 'NODE' ? node : arg));
    const { exit, stdout, stderr } = await run(args, folder);
    return { exit, stdout: normalised(stdout, node), stderr: normalised(stderr, node) };
  }

  function check(command: Command, got: Result): void {
    expect(got.exit, got.stderr).toBe(command.exit);
    if (command.compare === 'exit-only') return;
    if (command.compare === 'lines-include') {
      expect(got.stdout.split('\n')).toEqual(
        expect.arrayContaining(command.stdout.split('\n').filter(Boolean)),
      );
      return;
    }
    expect(view(command, got.stdout)).toBe(view(command, command.stdout));
    if (command.compare !== 'last-line')
      expect(view(command, got.stderr)).toBe(view(command, command.stderr));
  }

  it.each(recorded.commands.map((command) => [`${command.group}: ${command.name}`, command] as const))(
    '%s',
    async (_name, command) => {
      if (command.args.includes('NODE') && node === '') {
        const pods = lab.api.objects.list('pods', 'shop');
        node = String(pods[0]?.spec && Object(pods[0].spec).nodeName);
      }
      const reading = command.args[1] === 'get';
      // Controllers need a moment: what only reads may be asked again.
      const once = async () => check(command, await perform(command));
      await (reading ? vi.waitFor(once, { timeout: 15_000, interval: 500 }) : once());
    },
  );

  it('get --watch shows a change when it happens', async () => {
    const args = ['get', 'configmaps', '--watch-only', '--no-headers', '-n', 'default'];
    const child = spawn('kubectl', args, { env: environment(folder), cwd: folder });
    let seen = '';
    child.stdout.on('data', (chunk) => {
      seen += chunk;
    });
    await vi.waitFor(
      async () => {
        // Made until the watch, which takes a moment to open, has seen one.
        const body = { metadata: { generateName: 'seen-' } };
        lab.api.create(lab.api.type('configmaps'), 'default', body, internalWrite('test'));
        expect(seen).toMatch(/^seen-\w+ +0 +\d+s/);
      },
      { timeout: 15_000, interval: 500 },
    );
    child.kill();
  });

  it('describes a pod with its events and reads a log', async () => {
    const pod = {
      metadata: { name: 'once' },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x:1', command: ['/bin/true'] }] },
    };
    lab.api.create(lab.api.type('pods'), 'default', pod, internalWrite('test'));
    const args = ['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/once', '--timeout=20s'];
    expect((await run(args, folder)).stdout).toContain('condition met');
    const { stdout } = await run(['describe', 'pod', 'once'], folder);
    expect(stdout).toMatch(/Status:\s+Succeeded/);
    expect(stdout).toContain('Successfully assigned default/once to node-');
    expect((await run(['logs', 'once'], folder)).stdout).toContain('exit code 0');
  });
});

/** The recorded nodes were kwok's; so are these, down to the order of their conditions. */
function recordedNode(number: number): Record<string, unknown> {
  const name = `node-${number}`;
  const room = { cpu: '8', memory: '16Gi', pods: '110' };
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: '2026-01-01T00:00:00Z',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  return {
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...(number <= CONTROL_PLANES ? { 'node-role.kubernetes.io/control-plane': '' } : {}),
        'topology.kubernetes.io/region': 'lab',
        'topology.kubernetes.io/zone': `pve-${((number - 1) % 3) + 1}`,
        type: 'kwok',
      },
    },
    spec: { providerID: `proxmox://lab/${100 + number}` },
    status: {
      capacity: room,
      allocatable: room,
      addresses: [
        { type: 'InternalIP', address: `192.0.2.${10 + number}` },
        { type: 'Hostname', address: name },
      ],
      conditions: [
        condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
        condition(
          'MemoryPressure',
          'False',
          'KubeletHasSufficientMemory',
          'kubelet has sufficient memory available',
        ),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
        condition('NetworkUnavailable', 'False', 'RouteCreated', 'RouteController created a route'),
      ],
      nodeInfo: {
        kernelVersion: '6.12.0-talos',
        osImage: 'Talos (v1.12.0)',
        operatingSystem: 'linux',
        architecture: 'amd64',
        containerRuntimeVersion: 'containerd://2.1.4',
        kubeletVersion: 'v1.37.1',
        kubeProxyVersion: 'kwok-v0.8.0',
      },
    },
  };
}
