/** The controller's image by digest: a tag, or a name that another account may own, must not reach the tokens of all sites. */
import { OxherdError } from '../../model/error.js';
import { PUBLISHER } from '../../model/publisher.js';

declare const pinnedBrand: unique symbol;
/** `registry.example.com/oxherd:0.1.0@sha256:…`; the tag is optional and decides nothing. */
export type PinnedImage = string & { readonly [pinnedBrand]: true };

const NAME = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
/** References of the OCI distribution specification with a digest. Helm reads it too, so it has no lookarounds. */
export const PINNED_IMAGE = `^(?:[A-Za-z0-9.-]+(?::[0-9]+)?/)?${NAME}(?:/${NAME})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?@sha256:[a-f0-9]{64}$`;

/** What to give, for messages and help. */
export const IMAGE_EXAMPLE = `${PUBLISHER.image}@sha256:DIGEST`;

export function parsePinnedImage(text: string | undefined): PinnedImage {
  if (isPinned(text)) return text;
  throw new OxherdError(
    'fleet.image',
    text === undefined
      ? 'the image of the controller is missing: there is no default'
      : `the image \`${text}\` has no valid digest`,
    {
      advice: `give the name and the digest of an image that you built or checked: --image ${IMAGE_EXAMPLE}; \`docker buildx imagetools inspect NAME:TAG\` prints the digest`,
    },
  );
}

function isPinned(text: string | undefined): text is PinnedImage {
  return text !== undefined && new RegExp(PINNED_IMAGE).test(text);
}
