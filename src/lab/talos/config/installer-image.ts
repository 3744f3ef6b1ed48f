/** `factory.talos.dev/nocloud-installer/<schematic>:<version>`; `undefined`: an image of someone else's making. */
export function parseInstallerImage(
  reference: string,
): { host: string; schematic: string; version: string } | undefined {
  const match =
    /^([^/]+)(?:\/[a-z0-9-]+)*?\/(?:[a-z0-9-]+-)?installer(?:-secureboot)?\/([0-9a-f]{64}):(v[^:@/]+)(?:@.*)?$/.exec(
      reference,
    );
  const [, host, schematic, version] = match ?? [];
  return host && schematic && version ? { host, schematic, version } : undefined;
}
