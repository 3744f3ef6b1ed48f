/** What a guest's agent tells of it. Never a condition for progress: an agent may not be there. */
import { apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import { asList, asRecord, optionalText } from '../decode.js';

interface GuestInterface {
  readonly name: string;
  /** Upper case. */
  readonly mac: string;
  readonly addresses: readonly string[];
}

export interface AgentCalls {
  guestInterfaces(node: string, vmid: number): Promise<GuestInterface[]>;
}

export function agentCalls(session: ApiSession): AgentCalls {
  return {
    async guestInterfaces(node, vmid) {
      const { data } = await apiCall(session)('GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces', {
        node,
        vmid,
      });
      const { result } = asRecord(data, 'agent answer');
      return asList(result, 'guest interfaces', (record) => ({
        name: optionalText(record, 'name') ?? '',
        mac: (optionalText(record, 'hardware-address') ?? '').toUpperCase(),
        addresses: asList(
          record['ip-addresses'] ?? [],
          'addresses',
          (address) => optionalText(address, 'ip-address') ?? '',
        ),
      }));
    },
  };
}
