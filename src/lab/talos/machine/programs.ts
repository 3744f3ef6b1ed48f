import { hashParts } from '../../../formats/text/hash.js';
import type { Machine } from './machine.js';
import { shownServices, staticPods } from './machine-status.js';

/** What runs on a machine: Talos' own programs, its services' containers, and pods. */
interface Container {
  readonly namespace: 'system' | 'k8s.io';
  /** `apid`, or `kube-system/etcd:etcd` as talosctl shows it. */
  readonly id: string;
  readonly podId: string;
  readonly name: string;
  readonly image: string;
  readonly pid: number;
  readonly status: 'RUNNING' | 'SANDBOX_READY' | 'CONTAINER_RUNNING' | 'CONTAINER_EXITED';
}

/** Services that are programs of machined itself and no containers. */
const IN_MACHINED = ['machined', 'auditd', 'containerd', 'cri', 'syslogd', 'udevd'];
const KUBERNETES = ['kubelet', 'etcd'];

export function containersOf(machine: Machine, namespace: Container['namespace']): Container[] {
  return namespace === 'system' ? systemContainers(machine) : kubernetesContainers(machine);
}

function systemContainers(machine: Machine): Container[] {
  return shownServices(machine)
    .filter(({ id, running }) => running && !IN_MACHINED.includes(id))
    .map(({ id }) => ({
      namespace: 'system',
      id,
      podId: id,
      name: id,
      image: serviceImage(machine, id),
      pid: pidOf(id),
      status: 'RUNNING',
    }));
}

function kubernetesContainers(machine: Machine): Container[] {
  const { facts, nodeName } = machine;
  if (machine.service('cri')?.state !== 'Running' || !facts) return [];
  const images: Record<string, string> = {
    'kube-apiserver': facts.images.apiServer,
    'kube-controller-manager': facts.images.controllerManager,
    'kube-scheduler': facts.images.scheduler,
  };
  const own = staticPods(machine).map(({ name, ready }) => {
    const component = name.slice(0, -nodeName.length - 1);
    const containers = [{ name: component, image: images[component] ?? '', running: ready }];
    return { namespace: 'kube-system', name, containers };
  });
  const others = machine.room.kubernetes?.podsOn?.(facts.cluster.id, nodeName) ?? [];
  const pods = [...own, ...others.filter((pod) => !own.some(({ name }) => name === pod.name))];
  return pods.flatMap((pod) => {
    const podId = `${pod.namespace}/${pod.name}`;
    const sandbox: Container = {
      namespace: 'k8s.io',
      id: podId,
      podId,
      name: podId,
      image: 'registry.k8s.io/pause:3.10',
      pid: pidOf(podId),
      status: 'SANDBOX_READY',
    };
    const inside = pod.containers.map((container): Container => {
      const id = `${podId}:${container.name}`;
      const { name, image, running } = container;
      const status = running ? 'CONTAINER_RUNNING' : 'CONTAINER_EXITED';
      return { namespace: 'k8s.io', id, podId, name, image, pid: running ? pidOf(id) : 0, status };
    });
    return [sandbox, ...inside];
  });
}

/** Images of what runs, and, for pods, those that were pulled. */
export function imagesOf(machine: Machine, namespace: Container['namespace']): string[] {
  const running = containersOf(machine, namespace).map(({ image }) => image);
  const pulled = namespace === 'system' ? [] : machine.record.images;
  return [...new Set([...running, ...pulled])].filter(Boolean).sort();
}

function serviceImage(machine: Machine, service: string): string {
  if (service === 'kubelet') return machine.facts?.kubelet.image ?? '';
  if (service === 'etcd') return 'registry.k8s.io/etcd:v3.6.5';
  return KUBERNETES.includes(service) ? '' : 'talos/apid';
}

interface Program {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly args: string;
  /** Bytes. */
  readonly memory: number;
}

export function programsOf(machine: Machine): Program[] {
  const running = [...containersOf(machine, 'system'), ...containersOf(machine, 'k8s.io')].filter(
    ({ pid }) => pid > 0,
  );
  const program = (command: string, pid: number, parent: number): Program => ({
    pid,
    parent,
    command,
    args: `/usr/bin/${command}`,
    memory: memoryOf(command),
  });
  return [
    { ...program('init', 1, 0), args: '/sbin/init' },
    program('containerd', 812, 1),
    ...running.map(({ name, pid, status }) => program(status === 'SANDBOX_READY' ? 'pause' : name, pid, 812)),
  ];
}

/** Between 8 and 264 MiB: the same program takes the same each time. */
export function memoryOf(name: string): number {
  return (8 + (number(name) % 256)) * 1024 ** 2;
}

function pidOf(id: string): number {
  return 1000 + (number(id) % 30_000);
}

function number(text: string): number {
  return Number.parseInt(hashParts(['program', text]).slice(0, 8), 16);
}
