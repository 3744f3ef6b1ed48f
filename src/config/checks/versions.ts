/** Which Talos runs which Kubernetes. */
import { supportsKubernetes, TALOS_MINORS } from '../../model/releases.js';
import { compareVersions, formatMinor, formatVersion, type Version } from '../../model/version.js';
import type { Report } from '../report.js';
import type { Path } from '../yaml/position.js';
import { type Check, originOf } from './check.js';

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
  const known = TALOS_MINORS[formatMinor(talos)];
  if (!known) {
    const isOld = talos.major < 1 || (talos.major === 1 && talos.minor < 12);
    const minors = Object.keys(TALOS_MINORS);
    const span = `${minors[0]} to ${minors.at(-1)}`;
    if (isOld) {
      report.error({
        code: 'talos.version',
        path,
        message: `Talos ${formatVersion(talos)} is too old: oxherd knows ${span}`,
        hint: 'user volumes and network documents came with v1.12',
      });
    } else {
      report.warning({
        code: 'talos.version',
        path,
        message: `Talos ${formatVersion(talos)} is newer than what oxherd knows (${span})`,
        hint: 'its Kubernetes versions and machine configs are not checked',
      });
    }
    return;
  }
  if (supportsKubernetes(talos, kubernetes)) return;
  const [first, last] = known.kubernetes;
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
