/** How a machine gets its address before it has a config. */
import type { Check } from './check.js';

export const firstBoot: Check = {
  needs: ['talos.platform', 'network.firstBoot'],
  run({ config: { network, talos }, report }) {
    // Only this platform reads Proxmox's cloud-init drive.
    if (network.firstBoot !== 'static' || talos.platform === 'nocloud') return;
    report.error({
      code: 'network.first-boot',
      path: ['talos', 'platform'],
      message: `the platform \`${talos.platform}\` does not read the cloud-init drive that carries the first address`,
      hint: 'write `platform: nocloud`, or `firstBoot: dhcp` in `network`',
    });
  },
};
