/**
 * Second tag of data VMs: tells them from Talos VMs also when their node is no longer in oxherd.yaml.
 * No cluster's own tag is this one (`clusterTag`).
 */
export const DATA_TAG = 'oxherd_data';
