/** Where the other hosts reach one. */
export function hostAddress(bridges: readonly { readonly address?: string }[]): string | undefined {
  return bridges.find((bridge) => bridge.address !== undefined)?.address;
}
