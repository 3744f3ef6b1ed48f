/** Which Proxmox host, and whether it is known. */
import { suggest } from '../suggest.js';
import { type Check, OncePerEntry, originOf } from './check.js';

export const placement: Check = {
  needs: ['nodes', 'hosts'],
  run(input) {
    const { config, file, report } = input;
    for (const [name, { host, hosts, count }] of Object.entries(file.nodes)) {
      const path = ['nodes', name, 'hosts'];
      if (hosts === undefined || hosts === 'auto') continue;
      if (host === undefined && count === undefined && hosts.length > 1) {
        report.error({
          code: 'node.hosts',
          path,
          message: `\`${name}\` is one node and cannot be on ${hosts.length} hosts`,
          hint: 'write `host: NAME`, `host: auto` to choose among them, or a `count`',
        });
      } else if (host !== undefined && host !== 'auto') {
        report.error({
          code: 'node.hosts',
          path,
          message: `\`${name}\` has both \`host: ${host}\` and \`hosts\``,
          hint: 'keep one of them; `host: auto` chooses among `hosts`',
        });
      }
    }
    const once = new OncePerEntry(report);
    for (const node of config.nodes) {
      if (node.host !== 'auto' || node.hostChoices.length > 0 || config.hosts.length > 0) continue;
      const { path } = originOf(input, node);
      once.error(path, {
        code: 'node.hosts',
        path,
        message: `there are no hosts to choose from for \`${node.name}\``,
        hint: 'write `host: NAME`, or name the hosts under `hosts`',
        at: 'key',
      });
    }
  },
};

/** Where `hosts` is written, it is the list of what is there. */
export const knownHosts: Check = {
  needs: ['hosts', 'nodes'],
  run({ config, file, report }) {
    const listed = new Set(config.hosts.map((host) => host.name));
    const used = new Set(config.nodes.flatMap((node) => [node.host, ...node.hostChoices]));
    used.delete('auto');
    const say = (path: readonly (string | number)[], host: string, known: ReadonlySet<string>): void => {
      const meant = suggest(host, known);
      report.warning({
        code: 'host.unknown',
        path,
        message: `the host \`${host}\` is not known: ${[...known].sort().join(', ')}`,
        hint: `${meant === undefined ? '' : `did you mean \`${meant}\`? `}if it exists, name it under \`hosts\``,
      });
    };
    if (listed.size > 0) {
      for (const [name, { host, hosts }] of Object.entries(file.nodes)) {
        if (host !== undefined && host !== 'auto' && !listed.has(host))
          say(['nodes', name, 'host'], host, listed);
        for (const [i, each] of (Array.isArray(hosts) ? hosts : []).entries()) {
          if (!listed.has(each)) say(['nodes', name, 'hosts', i], each, listed);
        }
      }
    }
    const known = new Set([...listed, ...used]);
    if (known.size === 0) return;
    for (const volume of config.volumes) {
      if (volume.type !== 'proxmox-csi' || known.has(volume.host)) continue;
      say(['volumes', volume.name, 'host'], volume.host, known);
    }
  },
};
