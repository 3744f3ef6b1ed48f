/** Second tag of data VMs: tells them from Talos VMs also when their node is no longer in the file. */
export const DATA_TAG = 'oxherd-data';
