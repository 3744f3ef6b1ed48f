import { type Handlers, PveError } from '../api.js';
import { nodeOf } from '../http/request.js';
import { splitList } from '../validation/formats.js';

/** Devices that no guest can be given: memory controllers, bridges, processors. */
const UNUSUAL = ['05', '06', '0b'];

export const hardwareHandlers: Handlers = {
  'GET /nodes/{node}/hardware/usb': () => [],
  'GET /nodes/{node}/hardware': () => [{ type: 'pci' }, { type: 'usb' }],
  'GET /nodes/{node}/hardware/pci': (call) => {
    // An empty list hides nothing.
    const given = call.text('pci-class-blacklist');
    const hidden = given === undefined ? UNUSUAL : splitList(given);
    const devices = call.pve.db.hosts.get(nodeOf(call))?.pci ?? [];
    const shown = devices.filter(
      (device) => !hidden.some((prefix) => device.class.slice(2).startsWith(prefix)),
    );
    return call.number('verbose') === 0 ? shown.map(({ id }) => ({ id })) : shown;
  },
  'GET /nodes/{node}/hardware/pci/{pci-id-or-mapping}': () => [{ method: 'mdev' }],
  'GET /nodes/{node}/hardware/pci/{pci-id-or-mapping}/mdev': (call) => {
    const id = call.text('pci-id-or-mapping') ?? '';
    const isAddress = /^(?:[0-9a-f]{4,}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$/i.test(id);
    if (!isAddress && !call.pve.db.pciMappings.has(id))
      throw new PveError(500, `mapping '${id}' not found on '${nodeOf(call)}'`);
    return [];
  },
};
