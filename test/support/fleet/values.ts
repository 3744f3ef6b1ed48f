/** Values to install a fleet with. No pod runs in a lab, so nothing pulls the image. */
import { DEFAULT_VALUES, type FleetValues } from '../../../src/controller/install/manifests.js';
import { parsePinnedImage } from '../../../src/controller/install/pinned-image.js';

export const FLEET_VALUES: FleetValues = {
  ...DEFAULT_VALUES,
  image: parsePinnedImage(`registry.example.com/oxherd@sha256:${'a'.repeat(64)}`),
};
