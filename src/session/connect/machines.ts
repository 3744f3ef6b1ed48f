/** The machines' side of a site: secrets, configs, access, client files. */
import { join } from 'node:path';
import type { MachineAccess } from '../../apply/support/context.js';
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import { type TalosConnections, talosAccess } from '../../clients/talos/access.js';
import type { Dial } from '../../clients/talos/connection.js';
import type { Config } from '../../config/config.js';
import { canonicalJson } from '../../design/canonical-json.js';
import type { Design } from '../../design/design.js';
import { markedConfig } from '../../design/machine-config/config-mark.js';
import type { ComponentVersions } from '../../design/machine-config/context.js';
import { MachineConfigWriter } from '../../design/machine-config/machine-config.js';
import { MAIN_KIND } from '../../formats/talos/talos-versions.js';
import { sha256Hex } from '../../formats/text/hash.js';
import type { Clock } from '../../model/clock.js';
import { wwidOf } from '../../model/identity.js';
import { formatVersion } from '../../model/version.js';
import type { WriteGate } from '../../model/write-gate.js';
import { findAddress } from '../../observe/machine-address.js';
import type { DesiredConfig, DesiredMachines } from '../../plan/input.js';
import { issueTalosClient } from '../../secrets/generate.js';
import { fromBase64Pem } from '../../secrets/pem.js';
import { readIfThere, replacePrivateFile } from '../../secrets/private-file.js';
import { ensureSecrets, type LoadedSecrets, systemEnvironment } from '../../secrets/store.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';
import type { SessionContext } from '../context.js';
import { clientAddresses } from '../secrets/client-addresses.js';
import {
  clientFilePaths,
  findSecrets,
  issueClientFiles,
  placeOf,
  readPassphrases,
} from '../secrets/secrets-files.js';
import { type ClusterSide, openClusterSide } from './cluster-side.js';
import { guarded } from './read-only.js';

export interface Machines {
  readonly secrets: TalosSecrets | undefined;
  readonly secretsPath: string;
  readonly talos: TalosConnections;
  readonly cluster: ClusterSide;
  desired(design: Design): Promise<DesiredMachines>;
  /** For steps: what they write passes the gate. */
  access(
    design: Design,
    client: ProxmoxClient,
    hostOf: (node: string) => string | undefined,
    gate: WriteGate,
  ): MachineAccess;
  close(): void;
}

interface MachinesInput {
  readonly config: Config;
  readonly directory: string;
  readonly clock: Clock;
  readonly dial?: Dial;
  readonly longCallMs?: number;
  /** Make secrets where there are none. */
  readonly create: boolean;
}

export async function openMachines(context: SessionContext, input: MachinesInput): Promise<Machines> {
  const loaded: LoadedSecrets | undefined = input.create
    ? await ensureSecrets(placeOf(context, input.config.cluster), systemEnvironment(context.env))
    : await findSecrets(context, input.config.cluster);
  const secrets = loaded?.secrets;
  const connected = await talosAccess({
    clock: input.clock,
    ...(secrets && { credentials: await adminCredentials(secrets) }),
    ...(input.dial && { dial: input.dial }),
    ...(input.longCallMs !== undefined && { deadlines: { long: input.longCallMs } }),
  });
  const talos = context.readOnly === true ? guarded(connected) : connected;
  const cluster = await openClusterSide(context, { ...input, secrets });
  const writers = new WeakMap<Design, Map<string, MachineConfigWriter>>();
  const passphrases = secrets ? await readPassphrases(context, input.config, input.directory) : {};
  const writerFor = (design: Design, components?: ComponentVersions): MachineConfigWriter => {
    const own = writers.get(design) ?? new Map<string, MachineConfigWriter>();
    writers.set(design, own);
    const key = JSON.stringify(components ?? null);
    const options = { ...(secrets && { secrets }), passphrases, ...(components && { components }) };
    const writer = own.get(key) ?? new MachineConfigWriter(input.config, design, options);
    own.set(key, writer);
    return writer;
  };
  const secretsPath = loaded?.path ?? placeOf(context, input.config.cluster).path;
  return {
    secrets,
    secretsPath,
    talos,
    cluster,
    async desired(design) {
      const writer = writerFor(design);
      return {
        secrets: {
          path: secretsPath,
          present: secrets !== undefined,
          // The bundle's own randomness keeps passphrases that people chose from being guessed by it.
          ...(secrets && { fingerprint: sha256Hex(canonicalJson({ secrets, passphrases })) }),
        },
        configs: Object.fromEntries(
          design.nodes.map((node) => [node.name, desiredConfig(writer, design, node.name)]),
        ),
        kubernetes: formatVersion(input.config.cluster.kubernetes),
        configWith: (node, components) => desiredConfig(writerFor(design, components), design, node),
        clientFiles: await clientFilesState(context, input.config, secrets),
      };
    },
    access: (design, client, hostOf, gate) => ({
      hasSecrets: secrets !== undefined,
      talos: talos.behind(gate),
      configOf: (node, components) => markedConfig(writerFor(design, components).forNode(node).text()),
      async addressOf(name) {
        const node = design.nodes.find((candidate) => candidate.name === name);
        return node && findAddress(talos, client, hostOf(name) ?? node.host, node);
      },
      async writeClientFiles() {
        if (!secrets) return;
        const files = await issueClientFiles(
          input.config,
          secrets,
          await clientAddresses(context, input.config),
        );
        const paths = clientFilePaths(context, input.config);
        await replacePrivateFile(paths.talosconfig, files.talosconfig);
        await replacePrivateFile(paths.kubeconfig, files.kubeconfig);
      },
    }),
    close() {
      talos.close();
      cluster.close();
    },
  };
}

function desiredConfig(writer: MachineConfigWriter, design: Design, name: string): DesiredConfig {
  const config = writer.forNode(name);
  const node = design.nodes.find((candidate) => candidate.name === name);
  let redacted: string | undefined;
  return {
    hash: config.hash(),
    kinds: config.documents.map(({ kind }) => (typeof kind === 'string' ? kind : MAIN_KIND)),
    // Where nothing changes, no one reads it.
    get redacted() {
      redacted ??= config.comparable();
      return redacted;
    },
    wwids: (node?.drives ?? []).map((drive) => wwidOf(drive.wwn)),
  };
}

async function adminCredentials(secrets: TalosSecrets) {
  const { now, random } = systemEnvironment({});
  const client = await issueTalosClient(secrets, { now, random });
  return {
    ca: fromBase64Pem(secrets.certs.os.crt),
    certificate: fromBase64Pem(client.crt),
    key: fromBase64Pem(client.key),
  };
}

/** Both files are there and name our certificate authorities. */
async function clientFilesState(context: SessionContext, config: Config, secrets: TalosSecrets | undefined) {
  const paths = clientFilePaths(context, config);
  if (context.clientFiles === false) return { folder: join(paths.talosconfig, '..'), current: true };
  const [talosconfig, kubeconfig] = await Promise.all([
    readIfThere(paths.talosconfig),
    readIfThere(paths.kubeconfig),
  ]);
  const current =
    secrets !== undefined &&
    talosconfig?.includes(secrets.certs.os.crt) === true &&
    kubeconfig?.includes(secrets.certs.k8s.crt) === true;
  return { folder: join(paths.talosconfig, '..'), current };
}
