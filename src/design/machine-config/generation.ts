/**
 * What a generation of configs (`talos.contract`) brings that the ones before do not have. Everything else is written in
 * the shape of 1.12, which later versions take alike: their own documents for it say the same in other words.
 * After `talosctl gen config` of each contract.
 */
import type { Config } from '../../config/config.js';
import type { Mapping } from '../../formats/text/mapping.js';

const FIRST_OF_1_14 = 14;

function isOf114({ talos: { contract } }: Config): boolean {
  return contract.major > 1 || contract.minor >= FIRST_OF_1_14;
}

/** Documents without which a machine of the generation would behave as one of an older one. */
export function generationDocuments(config: Config): Mapping[] {
  if (!isOf114(config)) return [];
  return [
    { apiVersion: 'v1alpha1', kind: 'FilesystemTrimConfig', interval: '168h0m0s' },
    { apiVersion: 'v1alpha1', kind: 'SecurityProfileConfig', workloadIsolation: true },
  ];
}

/** How EPHEMERAL is mounted: without programs that run as another user, without devices. */
export function ephemeralMount(config: Config): Mapping {
  return isOf114(config) ? { mount: { secure: true } } : {};
}
