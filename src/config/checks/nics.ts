/** MAC addresses and further NICs. */
import { macOf } from '../../formats/marks/identities.js';
import { cidrContains, formatCidr } from '../../model/address.js';
import type { Mac } from '../../model/identity.js';
import { pathOf } from '../resolve/levels.js';
import type { Path } from '../yaml/position.js';
import { type Check, OncePerEntry, originOf } from './check.js';

export const macs: Check = {
  needs: ['cluster.name', 'cluster.env'],
  run(input) {
    const { config, file, report } = input;
    for (const [name, entry] of Object.entries(file.nodes)) {
      if ((entry.count ?? 1) === 1) continue;
      for (const [key, what] of [
        ['mac', 'MAC address'],
        ['uuid', 'uuid'],
      ] as const) {
        if (entry[key] === undefined) continue;
        report.error({
          code: `node.group-${key}`,
          path: ['nodes', name, key],
          message: `the ${entry.count} nodes of \`${name}\` cannot share one ${what}`,
          hint: `remove \`${key}\` (it is computed), or write the nodes one by one`,
        });
      }
    }
    if (!config.nodes.some(({ nics }) => nics.some((nic) => nic.mac !== undefined))) return;
    const taken = new Map<Mac, string>();
    const once = new OncePerEntry(report);
    // Those that were written first, so that a clash with a computed one points at what can be changed.
    for (const written of [false, true]) {
      for (const node of config.nodes) {
        const { path, levels, grouped } = originOf(input, node);
        for (const [i, nic] of node.nics.entries()) {
          if ((nic.mac !== undefined) !== written) continue;
          const mac = nic.mac ?? macOf(config.cluster, node.vmid, i);
          const other = taken.get(mac);
          const at: Path = i === 0 ? [...path, 'mac'] : [...pathOf(levels, 'nics'), i - 1, 'mac'];
          if (other === undefined) taken.set(mac, node.name);
          // Two computed ones that are alike are made different.
          else if (written && !(grouped && i === 0)) {
            once.error(path, {
              code: 'node.duplicate-mac',
              path: at,
              message: `\`${node.name}\`: ${mac} is already the MAC address of \`${other}\``,
              hint: 'remove it: a MAC address is computed for each NIC',
            });
          }
        }
      }
    }
  },
};

export const furtherNics: Check = {
  needs: [],
  run(input) {
    const once = new OncePerEntry(input.report);
    for (const node of input.config.nodes) {
      const { path, levels } = originOf(input, node);
      const entries = levels.find(({ values }) => values.nics !== undefined);
      for (const [i, nic] of (entries?.values.nics ?? []).entries()) {
        const at = [...(entries?.path ?? path), 'nics', i];
        const say = (message: string, hint: string): void =>
          input.report.error({ code: 'node.nic', path: at, message, hint });
        if (nic.dhcp && nic.ip)
          say('a NIC has an address by DHCP or a fixed one, not both', 'remove `dhcp` or `ip`');
        else if ((nic.ip === undefined) !== (nic.subnet === undefined)) {
          say(
            '`ip` and `subnet` of a NIC go together',
            'for example `ip: 10.9.0.5` with `subnet: 10.9.0.0/24`',
          );
        } else if (nic.ip && nic.subnet && !cidrContains(nic.subnet, nic.ip)) {
          say(`${nic.ip} lies outside ${formatCidr(nic.subnet)}`, 'choose one inside');
        }
      }
      const [first] = node.nics;
      const cpus = node.vm.cores * node.vm.sockets;
      if (first?.queues !== undefined && first.queues > cpus) {
        once.warning(pathOf(levels, 'queues'), {
          code: 'node.queues',
          path: pathOf(levels, 'queues'),
          message: `${first.queues} queues are more than the ${cpus} CPUs of \`${node.name}\` can serve`,
          hint: `write \`queues: ${cpus}\` at most`,
        });
      }
    }
  },
};
