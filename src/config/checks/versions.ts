/** Which Talos runs which Kubernetes. */
import { compareVersions, formatMinor, formatVersion, type Version } from '../../model/version.js';
import type { Path } from '../position.js';
import type { Report } from '../report.js';
import { type Check, originOf } from './check.js';

/**
 * First and last Kubernetes minor by Talos minor, from the `compatibility/talos1xx` packages of Talos's Go module
 * `pkg/machinery` v1.14.1 (MinimumKubernetesVersion, MaximumKubernetesVersion).
 */
export const KUBERNETES_BY_TALOS: Readonly<Record<string, readonly [first: number, last: number]>> = {
  'v1.12': [30, 35],
  'v1.13': [31, 36],
  'v1.14': [32, 37],
};

const KNOWN = Object.keys(KUBERNETES_BY_TALOS);

export const talosAndKubernetes: Check = {
  needs: ['talos.version', 'cluster.kubernetes'],
  run(input) {
    const { config, report } = input;
    const seen = new Set<string>();
    const check = (version: Version, path: Path): void => {
      const text = formatVersion(version);
      if (seen.has(text)) return;
      seen.add(text);
      checkPair(version, config.cluster.kubernetes, path, report);
    };
    check(config.talos.version, ['talos', 'version']);
    for (const node of config.nodes)
      check(node.talosVersion, [...originOf(input, node).path, 'talosVersion']);
  },
};

function checkPair(talos: Version, kubernetes: Version, path: Path, report: Report): void {
  const range = KUBERNETES_BY_TALOS[formatMinor(talos)];
  if (!range) {
    const isOld = talos.major < 1 || (talos.major === 1 && talos.minor < 12);
    const known = `${KNOWN[0]} to ${KNOWN.at(-1)}`;
    if (isOld) {
      report.error({
        code: 'talos.version',
        path,
        message: `Talos ${formatVersion(talos)} is too old: oxherd knows ${known}`,
        hint: 'user volumes and network documents came with v1.12',
      });
    } else {
      report.warning({
        code: 'talos.version',
        path,
        message: `Talos ${formatVersion(talos)} is newer than what oxherd knows (${known})`,
        hint: 'its Kubernetes versions and machine configs are not checked',
      });
    }
    return;
  }
  const [first, last] = range;
  if (kubernetes.major === 1 && kubernetes.minor >= first && kubernetes.minor <= last) return;
  report.error({
    code: 'cluster.kubernetes',
    path: ['cluster', 'kubernetes'],
    message: `Talos ${formatVersion(talos)} runs Kubernetes v1.${first} to v1.${last}, not ${formatVersion(kubernetes)}`,
    hint: 'change `cluster.kubernetes` or `talos.version`',
  });
}

export const contract: Check = {
  needs: ['talos.version', 'talos.contract'],
  run({ config: { talos, nodes }, file, report }) {
    const oldest = nodes
      .map((node) => node.talosVersion)
      .reduce((least, version) => (compareVersions(version, least) < 0 ? version : least), talos.version);
    const limit = { ...oldest, patch: 0, pre: '' };
    if (compareVersions(talos.contract, limit) > 0) {
      report.error({
        code: 'talos.contract',
        path: ['talos', 'contract'],
        message: `configs of ${formatMinor(talos.contract)} are too new for Talos ${formatVersion(oldest)}`,
        hint: `write \`contract: ${formatMinor(limit)}\``,
      });
    } else if (
      file.talos.contract &&
      compareVersions(talos.contract, { major: 1, minor: 12, patch: 0, pre: '' }) < 0
    ) {
      report.error({
        code: 'talos.contract',
        path: ['talos', 'contract'],
        message: `configs of ${formatMinor(talos.contract)} are too old: oxherd writes those from v1.12 on`,
        hint: 'write `contract: v1.12`',
      });
    }
  },
};
